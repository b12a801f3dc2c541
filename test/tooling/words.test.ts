/** The check of words: it finds each, and a folder may not have more than its number. */
import { expect, test } from 'vitest'
import { BANNED, bannedIn, folderOf, wordProblems } from '../../scripts/words.ts'

test.each([
  'Whoever writes first wins',
  'for somebody else',
  'nobody knows',
  'does anybody hear',
  'asked anew',
  'lost tidings',
  'tried in vain',
  'what becomes of a call',
  'how it came to this',
  '30 s unless said',
  'it is waited for',
])('%s is found', (sentence) => {
  expect(bannedIn('packages/x/src/a.ts', `const ok = 1\n// ${sentence}`)).toMatchObject([{ line: 2 }])
})

test('a sentence in plain words is not found, and every rule has an example above', () => {
  expect(bannedIn('a.md', 'The owner retries the append. Renewal is automatic.')).toEqual([])
  expect(BANNED).toHaveLength(11)
})

test('a folder with more than its number is a problem, and so is a folder without one', () => {
  const found = bannedIn('packages/core/src/a.ts', 'nobody\nnobody')
  expect(wordProblems(found, { 'packages/core': 2 })).toEqual([])
  expect(wordProblems(found, { 'packages/core': 1 })).toHaveLength(1)
  expect(wordProblems(found, {})).toHaveLength(1)
})

test('a file belongs to its package, or to its first folder', () => {
  expect(['packages/core/src/a.ts', 'docs/guide/a.md', 'README.md'].map(folderOf)).toEqual([
    'packages/core',
    'docs',
    'README.md',
  ])
})
