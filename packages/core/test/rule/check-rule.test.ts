/** What is refused when a rule is saved, and how a rule reads. */
import { checkRule, ruleWords, type RuleText } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { text } from './rules-kit.ts'

function why(given: unknown): string {
  const checked = checkRule(given, 1000)
  return checked.ok ? '' : checked.why
}

test.each<[string, Partial<RuleText> | Record<string, unknown>, string]>([
  ['an unknown effect', { effect: 'permit' }, 'allow, ask or deny'],
  ['a misspelt field', { expires: 5 }, 'no field "expires"'],
  ['a misspelt test', { when: [{ at: '/a', equal: 1 }] }, 'no field "equal"'],
  ['two tests', { when: [{ at: '/a', equals: 1, prefix: 'x' }] }, 'exactly one of'],
  ['no pointer', { when: [{ at: 'to', equals: 1 }] }, 'not a JSON Pointer'],
  ['an empty prefix', { when: [{ at: '/a', prefix: '' }] }, 'fit every text'],
  ['an empty list', { when: [{ at: '/a', in: [] }] }, '1 to 200'],
  ['a range without ends', { when: [{ at: '/a', range: {} }] }, 'needs "min" or "max"'],
  ['a range upside down', { when: [{ at: '/a', range: { min: 2, max: 1 } }] }, '"min" above its "max"'],
  ['unless in an allow', { unless: [[{ at: '/a', equals: 1 }]] }, 'belongs into a deny'],
  ['an exception that always fits', { effect: 'deny', unless: [[]] }, 'lift the whole rule'],
  ['uses of a deny', { effect: 'deny', uses: 1 }, 'Only an allow'],
  ['no uses', { uses: 0 }, 'from 1 to 1000'],
  ['a time in the past', { expiresAt: 1000 }, 'in the future'],
  ['a scope of nothing', { scope: { tenant: 'x' } }, 'no field "tenant"'],
  ['no fingerprint', { fingerprint: '' }, 'fingerprint'],
  ['a value that is no JSON', { when: [{ at: '/a', equals: 1n }] }, 'object of JSON'],
])('%s is refused', (_, more, words) => {
  expect(why(text())).toBe('')
  expect(why({ ...text(), ...more })).toContain(words)
})

test('a pattern that matches more than it shows is refused: a prefix of a web address that ends in its host', () => {
  expect(why(text({ when: [{ at: '/url', prefix: 'https://acme.test' }] }))).toContain('https://acme.test.example')
  expect(why(text({ when: [{ at: '/url', prefix: 'https://acme.test/' }] }))).toBe('')
})

test('examples are checked when the rule is saved', () => {
  const when = [{ at: '/amount', range: { max: 100 } }]
  expect(why(text({ when, examples: { match: [{ amount: 100 }], noMatch: [{ amount: 101 }, {}] } }))).toBe('')
  expect(why(text({ when, examples: { match: [{ amount: 101 }] } }))).toContain(
    'must match, and does not: {"amount":101}',
  )
  expect(why(text({ when, examples: { noMatch: [{ amount: 5 }] } }))).toContain('must not match, and does')
})

test('a rule in words says everything that it covers', () => {
  const words = ruleWords(
    text({
      when: [
        { at: '/to/*', in: ['a@x.test', 'b@x.test'] },
        { at: '/subject', prefix: 'Weekly' },
        { at: '/body', length: { max: 500 } },
      ],
      scope: { conversation: 'c1', person: 'ada' },
      uses: 3,
    }),
  )
  expect(words).toBe(
    'Allow email.send when to › (every element) is one of "a@x.test", "b@x.test" and subject begins with "Weekly" and body has a length of at most 500, in conversation "c1", when "ada" asked, for 3 calls.',
  )
  expect(ruleWords(text({ effect: 'deny', unless: [[{ at: '/n', range: { min: 1, max: 2 } }]], shadow: true }))).toBe(
    'Only record, do not enforce: Deny email.send with any input, unless n is from 1 to 2.',
  )
})

test('characters that are not seen are written out, so that two rules that differ read differently', () => {
  const words = ruleWords(text({ when: [{ at: '/to', equals: 'ada\u200b@\u202eacme.test' }] }))
  expect(words).toContain('"ada\\u{200b}@\\u{202e}acme.test"')
})

test.each(['ada@acme.test', 'https://acme.test', 'https://acme.test:443'])(
  'a prefix that ends in a host is refused: %s',
  (prefix) => {
    const rule = { effect: 'allow', tool: 'mail.send', fingerprint: 'f', when: [{ at: '/to', prefix }] }
    expect(checkRule(rule, 0)).toMatchObject({ ok: false, why: expect.stringContaining(`would also fit "${prefix}.`) })
  },
)
