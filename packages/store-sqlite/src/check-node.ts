/** Stops the import of this package on a Node that cannot run it, with one sentence that says which Node is needed. */
import { HoldpointError } from '@holdpoint/core'
import { hasSqlite } from './database.ts'

/** The first version whose SQLite can be used by several connections at once; `engines` in package.json says the same. */
const NEEDED = [24, 15] as const

export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined
  return `Holdpoint needs Node ${NEEDED.join('.')} or newer, and this is Node ${version}.`
}

export function checkNode(): void {
  const problem = nodeProblem(process.versions.node)
  if (problem === undefined && hasSqlite) return
  const error = new HoldpointError(
    'store-unusable',
    problem ?? 'Holdpoint needs the module node:sqlite, and this Node was started without it.',
  )
  // The place where it is thrown does not help a reader. The sentence has all there is to know.
  error.stack = `${error.name}: ${error.message}`
  throw error
}
