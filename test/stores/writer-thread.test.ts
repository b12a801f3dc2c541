/** The writer thread of SQLite runs from the sources too, where packages are not built: it may import Node and its own files. */
import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { importsOf } from '../../scripts/lib/source.ts'
import { read } from '../../scripts/lib/workspace.ts'

function outsideOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return importsOf(read(file))
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ from }) => (from.startsWith('.') ? outsideOf(join(dirname(file), from), seen) : [from]))
}

test('the writer thread imports nothing but modules of Node and files of its package', () => {
  const outside = outsideOf('packages/store-sqlite/src/writer-thread.ts')
  expect(outside).toContain('node:worker_threads')
  expect(outside.filter((from) => !from.startsWith('node:'))).toEqual([])
})
