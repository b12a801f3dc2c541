/** The console that the gateway serves, built when it is missing or older than what it is made of. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { find, root } from './workspace.ts'

const built = join(root, 'packages/gateway/console/index.html')
const sources = [
  'apps/console/**/*',
  'packages/{client,core,protocol,react,ui}/src/**/*',
  'packages/ui/package.json',
  'package-lock.json',
] as const

export async function buildConsole(): Promise<void> {
  if (!isStale()) return
  console.log('holdpoint: building the console (a few seconds)')
  // Tests say `test` here, and would get React as it is for developers.
  process.env['NODE_ENV'] = 'production'
  // Node itself loads the file: it finds the packages' sources, as everything here does.
  await build({ configFile: join(root, 'apps/console/vite.config.ts'), configLoader: 'native', logLevel: 'error' })
}

function isStale(): boolean {
  if (!existsSync(built)) return true
  const { mtimeMs } = statSync(built)
  return find(...sources).some((file) => statSync(join(root, file)).mtimeMs > mtimeMs)
}
