/**
 * Who may import whom: between the folders of the core, and out of a package. What a linter rule can say by the written
 * name alone (no npm package in the core, no `@holdpoint/testing` in `holdpoint`) is in .oxlintrc.json; here is what needs
 * the path worked out. `import/no-cycle` takes care of files inside one folder.
 */
import { dirname, join } from 'node:path/posix'
import { hasExportStar, importsOf, type Import } from './lib/source.ts'
import { find, read, report } from './lib/workspace.ts'

interface Reach {
  /** Folders it may import from at run time, besides itself and the base (the files directly in `src`). */
  readonly imports: readonly string[]
  /** Folders it may name in `import type` only. */
  readonly types: readonly string[]
}

/**
 * The folders of `packages/core/src`, lowest first. What runs (loop) is on top and nothing below may need it to
 * work. Types are looser in one place: a handler is handed the agent it belongs to, so a tool's types name what is above.
 * The turn machine has no such excuse: it must not know, even by type, who drives it.
 */
const core: Readonly<Record<string, Reach>> = {
  log: { imports: ['tool', 'model'], types: ['turn', 'plan'] },
  tool: { imports: ['log', 'model'], types: ['turn', 'plan', 'plugin', 'loop'] },
  model: { imports: ['log', 'tool'], types: ['turn', 'prompt'] },
  plan: { imports: ['log'], types: [] },
  space: { imports: ['log', 'tool'], types: ['turn'] },
  turn: { imports: ['log', 'tool', 'model', 'plan', 'space'], types: [] },
  live: { imports: ['log', 'tool', 'model', 'turn', 'space'], types: [] },
  prompt: { imports: ['log', 'tool', 'model', 'space'], types: [] },
  plugin: { imports: ['log', 'tool', 'model', 'turn', 'plan'], types: ['loop', 'live', 'hooks'] },
  life: { imports: ['log', 'tool', 'model', 'plan', 'space', 'plugin'], types: [] },
  hooks: { imports: ['log', 'tool', 'model', 'prompt'], types: ['turn', 'plugin', 'loop'] },
  context: { imports: ['log', 'tool', 'model', 'prompt'], types: ['turn', 'loop'] },
  audit: { imports: ['log', 'tool', 'model', 'prompt', 'context'], types: ['turn', 'loop'] },
  loop: {
    imports: ['log', 'tool', 'model', 'turn', 'live', 'prompt', 'plan', 'plugin', 'life', 'hooks', 'context', 'audit'],
    types: [],
  },
  runtime: {
    imports: ['log', 'tool', 'model', 'turn', 'live', 'prompt', 'plan', 'space', 'plugin', 'life', 'audit', 'loop'],
    types: [],
  },
}
const base = 'base'
const coreSource = 'packages/core/src/'

export function violations(file: string, text: string): string[] {
  const inCore = file.startsWith(coreSource)
  const imports = importsOf(text)
  const relative = imports.filter(({ from }) => from.startsWith('.'))
  // The linter says so too, but not of `import('…')`.
  const foreign = inCore ? imports.filter(({ from }) => !from.startsWith('.')) : []
  return [
    ...foreign.map(({ from }) => `${file}: imports ${from}; the core imports nothing but its own files`),
    ...relative.flatMap((imported) => leavesHome(file, imported)),
    ...(inCore ? relative.flatMap((imported) => reachesUp(file, imported)) : []),
    ...(file.startsWith('packages/') && hasExportStar(text)
      ? [`${file}: \`export *\` hides what is public; name the exports`]
      : []),
  ]
}

/** A package or an example reaches others by their published names only. */
function leavesHome(file: string, imported: Import): string[] {
  const home = /^(?:packages|examples|apps)\/[^/]+\//.exec(file)?.[0]
  if (home === undefined || target(file, imported).startsWith(home)) return []
  // What the tests of several packages share, a database server for instance, is in the root's own test folder.
  if (file.startsWith(`${home}test/`) && target(file, imported).startsWith('test/')) return []
  return [`${file}: imports ${imported.from}, outside ${home}; import the package by its name`]
}

function reachesUp(file: string, imported: Import): string[] {
  const from = coreFolder(file)
  const path = target(file, imported)
  if (!path.startsWith(coreSource)) return []
  const to = coreFolder(path)
  if (from === 'index' || to === from || to === base) return []
  const reach = from === base ? { imports: [], types: [] } : core[from]
  if (reach === undefined)
    return [`${file}: the folder ${from}/ has no place yet; give it one in scripts/boundaries.ts`]
  if (reach.imports.includes(to)) return []
  if (reach.types.includes(to)) {
    return imported.typeOnly ? [] : [`${file}: imports ${imported.from}; ${from} may only \`import type\` from ${to}`]
  }
  return [`${file}: imports ${imported.from}; ${from} is below ${to} and must not know it`]
}

function coreFolder(file: string): string {
  const [folder = '', ...rest] = file.slice(coreSource.length).split('/')
  if (rest.length > 0) return folder
  return folder === 'index.ts' ? 'index' : base
}

function target(file: string, imported: Import): string {
  return join(dirname(file), imported.from)
}

if (import.meta.main) {
  const files = find('packages/*/{src,test}/**/*.{ts,tsx}', 'examples/**/*.{ts,tsx}', 'apps/*/{src,test}/**/*.{ts,tsx}')
  report(
    files.flatMap((file) => violations(file, read(file))),
    `boundaries: ${files.length} files import only what they may`,
  )
}
