/** The check of words finds each banned word. */
import { expect, test } from 'vitest'
import { BANNED, bannedIn } from '../../scripts/words.ts'

const EXAMPLES = [
  'Whoever writes first wins',
  'for somebody else',
  'nobody knows',
  'does anybody hear',
  'asked anew',
  'lost tidings',
  'tried in vain',
  'what became of a call',
  'how it came to this',
  '30 s unless said',
  'it is waited for',
  'the neighbours of a log',
  'the lookout of a node',
  'an orphaned log',
  'a living agent',
]

test.each(EXAMPLES)('%s is found, with its line', (sentence) => {
  expect(bannedIn('packages/x/src/a.ts', `const ok = 1\n// ${sentence}`)).toEqual([
    expect.stringContaining('packages/x/src/a.ts:2: '),
  ])
})

test('a sentence in plain words is not found, and every rule has an example', () => {
  expect(bannedIn('a.md', 'The owner retries the append. Renewal is automatic.')).toEqual([])
  expect(BANNED.filter((word) => !EXAMPLES.some((sentence) => word.test(sentence)))).toEqual([])
})
