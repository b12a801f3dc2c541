/**
 * Many tests start programs and kill them. Such a program mostly compiles modules, and only a process that ends normally
 * writes the compile cache. So two processes run first and end normally: one on the sources, one on the builds if any.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const SOURCES = ['holdpoint', 'store-sqlite', 'store-postgres', 'gateway', 'mcp', 'testing']
const BUILT = ['holdpoint', 'store-sqlite', 'store-postgres']

export function setup(): () => Promise<unknown> {
  const ahead = [compile(SOURCES, '--conditions=@holdpoint/source'), compile(BUILT)]
  return () => Promise.all(ahead)
}

async function compile(packages: readonly string[], ...flags: readonly string[]): Promise<void> {
  const names = packages.map((name) => (name === 'holdpoint' ? name : `@holdpoint/${name}`))
  const program = `await Promise.allSettled(${JSON.stringify(names)}.map((name) => import(name)))`
  await once(spawn(process.execPath, [...flags, '--input-type=module', '-e', program], { stdio: 'ignore' }), 'exit')
}
