/** Cedar and the built-in evaluator judge the same calls by the same rules. */
import {
  checkRule,
  judgeByRules,
  type CallFacts,
  type Condition,
  type Json,
  type Rule,
  type RuleText,
} from '@holdpoint/core'
import { proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cedarEvaluator, cedarText } from '@holdpoint/rules-cedar'

const cedar = cedarEvaluator()

/** Names that Cedar or JavaScript reserve, and that a pointer escapes. */
const NAMES = ['to', 'a/b', 'm~n', '', '__proto__', '__entity', '__extn', 'constructor', '0', 'zoë\n"*\\']
const TEXTS = [
  '',
  'a',
  'ab',
  'a*',
  'a\\',
  'a\n',
  '\uD83D',
  '\u{1F389}',
  '\uFFFD',
  '/srv/',
  '/srv/x',
  '/srv/../x',
  '/srv/%2e%2E/',
]
const NUMBERS = [0, -0, 1, 2, 1.5, 2.0000000001, -1, 2 ** 53 - 2, 2 ** 53, 1e300, -1e300, 5e-324, 9_007_199_254_740_990]
const BOUNDS = [0, -0, 1, 2, 3, -1, 2 ** 53 - 2, -(2 ** 53 - 2)]

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom('a', 'ab'),
  fc.constantFrom<Json>(null, true, false),
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
)
const name = fc.constantFrom('to', 'to', 'to', ...NAMES)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
}))
const pointer = fc
  .array(name, { maxLength: 2 })
  .map((parts) => parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
const bounds = fc
  .record({ min: fc.constantFrom(...BOUNDS), max: fc.constantFrom(...BOUNDS) }, { requiredKeys: [] })
  .filter(({ min, max }) => (min ?? max) !== undefined && (min ?? -Infinity) <= (max ?? Infinity))
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ at: pointer, equals: leaf }),
  fc.record({ at: pointer, equals: value }),
  fc.record({ at: pointer, in: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
  fc.record({ at: pointer, prefix: fc.constantFrom('a', 'a*', 'a\\', '/srv/', '\u{1F389}', '\uFFFD') }),
  fc.record({ at: pointer, range: bounds }),
  fc.record({ at: pointer, length: bounds }),
)
const conditions = fc.array(fc.oneof(condition, fc.constant({ at: '/to', prefix: 'a' })), { maxLength: 2 })
const person = fc.option(fc.constantFrom('ada', 'bob'), { nil: undefined })

/** Most random rules must apply to the call, or the comparison compares nothing. */
function mostly<T>(usual: T, rare: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) })
}

const text: fc.Arbitrary<RuleText> = fc
  .record({
    effect: fc.constantFrom('allow' as const, 'allow' as const, 'ask' as const, 'deny' as const),
    tool: mostly('pay', 'other'),
    fingerprint: mostly('f1', 'f2'),
    when: conditions,
    unless: fc.array(fc.array(condition, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    scope: fc.record(
      {
        conversation: fc.constantFrom('c1', 'c2'),
        person: fc.constantFrom('ada', 'bob'),
        agent: fc.constantFrom('desk', 'x'),
      },
      { requiredKeys: [] },
    ),
    bits: fc.record({ unless: fc.boolean(), scope: mostly(false, true), shadow: mostly(false, true) }),
  })
  .map(({ unless, scope, bits, ...rule }) => ({
    ...rule,
    ...(rule.effect === 'deny' && bits.unless && { unless }),
    ...(bits.scope && { scope }),
    ...(bits.shadow && { shadow: true as const }),
  }))
const rules = fc.array(text, { minLength: 1, maxLength: 3 }).map((texts) => texts.map(asRule))
const facts: fc.Arbitrary<CallFacts> = fc.record({
  callId: fc.constant('1'),
  tool: fc.constant('pay'),
  fingerprint: fc.constant('f1'),
  input: fc.option(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: false }) as fc.Arbitrary<Json>, {
    nil: undefined,
    freq: 20,
  }),
  conversation: fc.constantFrom('c1', 'c2'),
  agent: fc.constant('desk'),
  people: fc.array(person, { maxLength: 2 }),
  now: fc.constant(50),
})

function asRule(rule: RuleText, index: number): Rule {
  const author = { id: 'grace', kind: 'person' } as const
  const times = { createdAt: index % 2, savedAt: 0, used: 0, calls: [] }
  return { ...rule, id: `r${index}`, version: 1, author, ...times }
}

test(
  proves('rules.same-in-cedar', 'Cedar and the built-in evaluator decide the same for random rules and inputs'),
  () => {
    const seen = { allow: 0, ask: 0, deny: 0, none: 0 }
    fc.assert(
      fc.property(rules, facts, (given, call) => {
        for (const rule of given) expect(checkRule(strip(rule), 0)).toMatchObject({ ok: true })
        for (const rule of given) expect(cedar.refuses?.(rule)).toBeUndefined()
        const own = judgeByRules(given, call)
        seen[own.decision?.effect ?? 'none']++
        expect(cedar.judge(given, call)).toEqual(own)
        const passed = new Set(['r0'])
        expect(cedar.judge(given, call, passed)).toEqual(judgeByRules(given, call, passed))
      }),
      { numRuns: 250 },
    )
    // Random rules that never apply would compare nothing.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5)
  },
)

function strip({
  id: _1,
  version: _2,
  author: _3,
  createdAt: _4,
  savedAt: _5,
  used: _6,
  calls: _7,
  ...rule
}: Rule): RuleText {
  return rule
}

const about = (more: Partial<RuleText>): RuleText => ({
  effect: 'allow',
  tool: 'pay',
  fingerprint: 'f1',
  when: [],
  ...more,
})
const call = (input: Json, more: Partial<CallFacts> = {}): CallFacts => ({
  callId: '1',
  tool: 'pay',
  fingerprint: 'f1',
  input,
  conversation: 'c',
  agent: 'desk',
  people: ['ada'],
  now: 50,
  ...more,
})

test.for<[why: string, when: Condition]>([
  ['Cedar has no test for the elements of a list', { at: '/to/*', equals: 'a' }],
  ['needs whole numbers below 2^53', { at: '/euros', range: { max: 0.5 } }],
  ['needs whole numbers below 2^53', { at: '/euros', range: { min: 2 ** 53 } }],
  ['ends in the middle of one', { at: '/to', prefix: 'a\uD83D' }],
])('what Cedar cannot say is refused: %s', ([why, when]) => {
  expect(cedar.refuses?.(about({ when: [when] }))).toContain(why)
  expect(cedar.refuses?.(about({ effect: 'deny', unless: [[when]] }))).toContain(why)
  expect(() => cedarText(about({ when: [when] }))).toThrow(why)
  // A rule that was saved before is not passed over.
  expect(() => cedar.judge([asRule(about({ when: [when] }), 0)], call({}))).toThrow(why)
})

test('the largest rule that can be saved is judged', () => {
  const when = Array.from({ length: 50 }, (_, n) => ({
    at: `/a/b/c/d/${n}`,
    in: Array.from({ length: 5 }, (_each, m) => m),
  }))
  const unless = Array.from({ length: 10 }, () => when.slice(0, 5))
  const rule = about({ effect: 'deny', when, unless })
  expect(checkRule(rule, 0)).toMatchObject({ ok: true })
  expect(cedar.refuses?.(rule)).toBeUndefined()
  expect(cedar.judge([asRule(rule, 0)], call({})).decision?.effect).toBe('ask')
})

test('a rule that was revoked, has expired or is used up decides nothing', () => {
  const rule = asRule(about({}), 0)
  expect(cedar.judge([rule], call({})).decision?.effect).toBe('allow')
  const ended: readonly Partial<Rule>[] = [{ revoked: { by: 'x', at: 1 } }, { expiresAt: 50 }, { uses: 1, used: 1 }]
  for (const each of ended) expect(cedar.judge([{ ...rule, ...each }], call({}))).toEqual({})
})

test('a rule is shown as text of Cedar', () => {
  const rule = about({ effect: 'deny', when: [{ at: '/to', prefix: 'eve@' }], scope: { person: 'ada' } })
  const shown = cedarText(rule)
  expect(shown).toContain('@effect("deny")\nforbid(')
  expect(shown).toContain('@effect("ask")\nforbid(')
  expect(shown).toContain('like "eve@*"')
  expect(shown).toContain('resource == Holdpoint::Tool::"pay"')
})
