/** Builds the console that the gateway serves, when the build is missing or older than its sources. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { find, root } from './workspace.ts'

const built = join(root, 'packages/gateway/console/index.html')
const sources = [
  'apps/console/**/*',
  'packages/{client,core,protocol,react,ui}/src/**/*',
  'packages/ui/package.json',
  'package-lock.json',
] as const

export async function buildConsole(): Promise<void> {
  if (!isConsoleStale()) return
  console.log('holdpoint: building the console (a few seconds)')
  // In tests this is `test`, and the build would contain the development version of React.
  process.env['NODE_ENV'] = 'production'
  // Loaded only for a build: it takes longer than all other imports.
  const { build } = await import('vite')
  // With `native`, Node loads the file, and resolves our packages to their sources.
  await build({ configFile: join(root, 'apps/console/vite.config.ts'), configLoader: 'native', logLevel: 'error' })
}

function isConsoleStale(): boolean {
  if (!existsSync(built)) return true
  const { mtimeMs } = statSync(built)
  return find(...sources).some((file) => statSync(join(root, file)).mtimeMs > mtimeMs)
}
