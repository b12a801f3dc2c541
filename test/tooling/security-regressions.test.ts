/** Holds docs/security-regressions.md to its word: every test it names exists, and the rest says what it waits for. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testTitlesOf } from '../../scripts/lib/source.ts'
import { read, root } from '../../scripts/lib/workspace.ts'

const rows = [...read('docs/security-regressions.md').matchAll(/^\| ([A-Z]+-[\w-]+) \|[^|]+\| ([^|]+) \|$/gm)]

test('all 45 advisories are listed, each once', () => {
  const ids = rows.map(([, id]) => id)
  expect(new Set(ids).size).toBe(45)
  expect(ids).toHaveLength(45)
})

test.each(rows.map(([, id = '', cell = '']) => [id, cell.trim()]))(
  '%s has a test, or says what it waits for',
  (_, cell) => {
    if (/^\*waits for [\w ]+\*$/.test(cell)) return
    for (const part of cell.split('<br>')) {
      const [file = '', fragment = ''] = part.split('›').map((piece) => piece.trim())
      expect(existsSync(join(root, file)), file).toBe(true)
      expect(fragment).not.toBe('')
      expect(
        testTitlesOf(read(file)).some((title) => title.includes(fragment)),
        `${file} › ${fragment}`,
      ).toBe(true)
    }
  },
)
