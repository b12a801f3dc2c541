/** Every test that docs/security-regressions.md names exists, and each other row says what it waits for. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testTitlesOf } from '../../scripts/lib/source.ts'
import { read, root } from '../../scripts/lib/workspace.ts'

const page = read('docs/security-regressions.md')
const rows = [...page.matchAll(/^\| ([A-Z]+-[\w-]+) \|[^|]+\| ([^|]+) \|$/gm)]
const found = [...(page.split('## Found here')[1] ?? '').matchAll(/^\| ([^|-]+[^|]*) \| (packages\/[^|]+) \|$/gm)]

test('all 45 advisories are listed, each once', () => {
  const ids = rows.map(([, id]) => id)
  expect(new Set(ids).size).toBe(45)
  expect(ids).toHaveLength(45)
})

test.each(rows.map(([, id = '', cell = '']) => [id, cell.trim()]))(
  '%s has a test, or says what it waits for',
  (_, cell) => {
    expect(/^\*waits for [\w ]+\*$/.test(cell) ? [] : missing(cell)).toEqual([])
  },
)

test('the problems that we found have tests too', () => {
  expect(found.length).toBeGreaterThan(10)
  expect(found.flatMap(([, , cell = '']) => missing(cell.trim()))).toEqual([])
})

/** The tests of a cell that do not exist. */
function missing(cell: string): string[] {
  return cell.split('<br>').filter((part) => {
    const [file = '', fragment = ''] = part.split('›').map((piece) => piece.trim())
    if (fragment === '' || !existsSync(join(root, file))) return true
    return !testTitlesOf(read(file)).some((title) => title.includes(fragment))
  })
}
