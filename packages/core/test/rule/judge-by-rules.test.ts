/** Which rule decides a call, and what is unclear. */
import { judgeByRules, type Condition, type Json, type Rule } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { call, rule } from './rules-kit.ts'

function effectOf(rules: readonly Rule[], facts = call({ to: 'ada@acme.test' })): string | undefined {
  return judgeByRules(rules, facts).decision?.effect
}

const allow = rule('allow')
const ask = rule('ask', { effect: 'ask' })
const deny = rule('deny', { effect: 'deny' })

test('the strictest of the rules that match decides, in any order', () => {
  expect(effectOf([allow, ask, deny])).toBe('deny')
  expect(effectOf([deny, ask, allow])).toBe('deny')
  expect(effectOf([ask, allow])).toBe('ask')
  expect(effectOf([allow])).toBe('allow')
  expect(effectOf([])).toBeUndefined()
})

test.each<[Condition, Json, 'allow' | undefined]>([
  [{ at: '/n', equals: 5 }, { n: 5 }, 'allow'],
  [{ at: '/n', equals: 5 }, { n: '5' }, undefined],
  [{ at: '/n', equals: { a: 1, b: 2 } }, { n: { b: 2, a: 1 } }, 'allow'],
  [{ at: '/n', in: ['a', 'b'] }, { n: 'b' }, 'allow'],
  [{ at: '/n', in: ['a', 'b'] }, { n: 'c' }, undefined],
  [{ at: '/n', prefix: 'INV-' }, { n: 'INV-7' }, 'allow'],
  [{ at: '/n', prefix: 'INV-' }, { n: 'inv-7' }, undefined],
  [{ at: '/n', range: { min: 1, max: 10 } }, { n: 10 }, 'allow'],
  [{ at: '/n', range: { max: 10 } }, { n: 10.5 }, undefined],
  [{ at: '/n', range: { max: 10 } }, { n: '9' }, undefined],
  [{ at: '/n', length: { max: 3 } }, { n: 'abc' }, 'allow'],
  [{ at: '/n', length: { max: 3 } }, { n: [1, 2, 3, 4] }, undefined],
  [{ at: '/n/0/a~1b', equals: 1 }, { n: [{ 'a/b': 1 }] }, 'allow'],
  [{ at: '/toString', prefix: 'f' }, {}, undefined],
])('%j and %j: %s', (condition, input, effect) => {
  expect(effectOf([rule('r', { when: [condition] })], call(input))).toBe(effect)
})

test('a missing field, or a value of another type, asks in a deny, and never allows', () => {
  for (const input of [{}, { path: 7 }, { path: null }, undefined] as const) {
    const when = [{ at: '/path', prefix: '/etc/' }]
    expect(effectOf([rule('r', { effect: 'deny', when })], call(input))).toBe('ask')
    expect(effectOf([rule('r', { effect: 'ask', when })], call(input))).toBe('ask')
    expect(effectOf([rule('r', { effect: 'allow', when })], call(input))).toBeUndefined()
  }
})

test('a rule outliving a changed tool asks, and never allows', () => {
  const changed = call({ to: 'ada@acme.test' }, { fingerprint: 'print-2' })
  expect(effectOf([allow], changed)).toBeUndefined()
  expect(effectOf([deny], changed)).toBe('ask')
  expect(judgeByRules([deny], changed).decision?.why).toContain('the definition of the tool changed')
})

test('an exception inside a deny must fit wholly: one that is unclear is no exception', () => {
  const exception = [
    { at: '/to', equals: 'ada@acme.test' },
    { at: '/amount', range: { max: 10 } },
  ]
  const strict = rule('r', { effect: 'deny', unless: [exception] })
  expect(effectOf([strict], call({ to: 'ada@acme.test', amount: 5 }))).toBeUndefined()
  expect(effectOf([strict], call({ to: 'ada@acme.test', amount: 50 }))).toBe('deny')
  expect(effectOf([strict], call({ to: 'ada@acme.test' }))).toBe('deny')
})

test('a deny is not skipped on a long input: any one of ten thousand elements is enough', () => {
  const when = [{ at: '/commands/*/name', equals: 'rm' }]
  const commands = Array.from({ length: 10_000 }, (_, index) => ({ name: index === 9_999 ? 'rm' : 'ls' }))
  expect(effectOf([rule('r', { effect: 'deny', when })], call({ commands }))).toBe('deny')
  expect(
    effectOf([rule('r', { effect: 'allow', when: [{ at: '/commands/*/name', equals: 'ls' }] })], call({ commands })),
  ).toBe(undefined)
})

test('an allow of a list needs every element, and an empty list has none', () => {
  const every = rule('r', { when: [{ at: '/to/*', in: ['ada@acme.test', 'bob@acme.test'] }] })
  expect(effectOf([every], call({ to: ['ada@acme.test', 'bob@acme.test'] }))).toBe('allow')
  expect(effectOf([every], call({ to: ['ada@acme.test', 'eve@evil.test'] }))).toBeUndefined()
  expect(effectOf([every], call({ to: [] }))).toBeUndefined()
})

test('a prefix of a path does not match what leads out of it, and a deny of a path is not passed around', () => {
  const inData = { when: [{ at: '/path', prefix: '/srv/data/' }] }
  for (const path of ['/srv/data/../../etc/passwd', '/srv/data/%2e%2e/x', '/srv/data/..\\x', '/srv/data/..']) {
    expect(effectOf([rule('r', inData)], call({ path })), path).toBeUndefined()
    expect(effectOf([rule('r', { ...inData, effect: 'deny' })], call({ path })), path).toBe('ask')
  }
  expect(effectOf([rule('r', inData)], call({ path: '/srv/data/a..b/c' }))).toBe('allow')
  const inEtc = rule('r', { effect: 'deny', when: [{ at: '/path', prefix: '/etc/' }] })
  expect(effectOf([inEtc], call({ path: '/tmp/../etc/passwd' }))).toBe('ask')
})

test('a scope is for one conversation, agent or person; an allow for one person does not cover another author', () => {
  const forAda = rule('r', { scope: { person: 'ada', agent: 'desk', conversation: 'c' } })
  expect(effectOf([forAda])).toBe('allow')
  expect(effectOf([forAda], call({}, { conversation: 'd' }))).toBeUndefined()
  expect(effectOf([forAda], call({}, { agent: 'other' }))).toBeUndefined()
  for (const people of [['bob'], ['ada', 'bob'], ['ada', undefined], []])
    expect(effectOf([forAda], call({}, { people }))).toBeUndefined()
  const notEve = rule('r', { effect: 'deny', scope: { person: 'eve' } })
  expect(effectOf([notEve], call({}, { people: ['ada', 'eve'] }))).toBe('deny')
  expect(effectOf([notEve], call({}, { people: [undefined] }))).toBe('deny')
})

test('a rule ends: revoked, expired or used up; a use that this call has counts as left', () => {
  const now = { expiresAt: 1000 }
  expect(effectOf([rule('r', now)])).toBeUndefined()
  expect(effectOf([rule('r', { expiresAt: 1001 })])).toBe('allow')
  expect(effectOf([rule('r', { revoked: { by: 'ada', at: 5 } })])).toBeUndefined()
  const use = { conversationId: 'c', callId: 'a', at: 5 }
  expect(effectOf([rule('r', { uses: 1, used: 1, calls: [{ ...use, callId: 'b' }] })])).toBeUndefined()
  expect(effectOf([rule('r', { uses: 1, used: 1, calls: [use] })])).toBe('allow')
})

test('a rule in shadow mode decides nothing, and is named beside the decision', () => {
  const judged = judgeByRules([allow, rule('shadow', { effect: 'deny', shadow: true })], call({}))
  expect(judged).toMatchObject({ decision: { effect: 'allow' }, shadow: { effect: 'deny', rule: { id: 'shadow' } } })
})

test('of equally strict rules the oldest decides, whatever their order', () => {
  const [old, young] = [rule('b', { createdAt: 1 }), rule('a', { createdAt: 2 })]
  for (const rules of [
    [old, young],
    [young, old],
  ])
    expect(judgeByRules(rules, call({})).decision?.rule.id).toBe('b')
})
