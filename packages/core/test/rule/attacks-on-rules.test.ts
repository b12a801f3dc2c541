/** Inputs that try to pass by a rule, or to look like what it allows. */
import { judgeByRules, type Condition, type Json, type Rule } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { call, rule } from './rules-kit.ts'

function effects(when: readonly Condition[], input: Json | undefined): readonly (string | undefined)[] {
  const judged = (effect: Rule['effect']): string | undefined =>
    judgeByRules([rule('r', { effect, when })], call(input)).decision?.effect
  return [judged('allow'), judged('deny')]
}

const FITS = ['allow', 'deny']
const NOT = [undefined, undefined]
const UNCLEAR = [undefined, 'ask']

test.each<[what: string, Condition, string, readonly (string | undefined)[]]>([
  ['a field of the prototype', { at: '/constructor', equals: 1 }, '{}', UNCLEAR],
  ['a field named __proto__', { at: '/__proto__/to', equals: 'a' }, '{"__proto__":{"to":"a"}}', FITS],
  ['a field that only the prototype would have', { at: '/to', equals: 'a' }, '{"__proto__":{"to":"a"}}', UNCLEAR],
  ['the length of a list as a field', { at: '/to/length', equals: 1 }, '{"to":["a"]}', UNCLEAR],
  ['an index with a sign, or with zeros', { at: '/to/00', equals: 'a' }, '{"to":["a"]}', UNCLEAR],
  ['a list in place of a text', { at: '/to', equals: 'a' }, '{"to":["a"]}', NOT],
  ['a text in place of a number', { at: '/n', range: { max: 5 } }, '{"n":"1"}', UNCLEAR],
  ['null in place of a number', { at: '/n', range: { max: 5 } }, '{"n":null}', UNCLEAR],
  ['minus zero', { at: '/n', equals: 0 }, '{"n":-0}', FITS],
  ['minus zero inside', { at: '/n', equals: [0] }, '{"n":[-0]}', FITS],
  ['a number that rounds to the bound', { at: '/n', range: { max: 2 ** 53 } }, '{"n":9007199254740993}', FITS],
  ['the smallest number above zero', { at: '/n', range: { max: 0 } }, '{"n":5e-324}', NOT],
  ['a huge number', { at: '/n', range: { max: 1e308 } }, '{"n":1.7e308}', NOT],
  ['the same letter in another form', { at: '/to', equals: 'Zo\u00EB' }, '{"to":"Zoe\\u0308"}', NOT],
  ['a look-alike', { at: '/to', prefix: 'acme/' }, '{"to":"\\u0430cme/x"}', NOT],
  ['an invisible character in front', { at: '/to', prefix: '/srv/' }, '{"to":"\\u200B/srv/x"}', NOT],
  ['a way up', { at: '/to', prefix: '/srv/' }, '{"to":"/srv/../etc"}', UNCLEAR],
  ['an encoded way up', { at: '/to', prefix: '/srv/' }, '{"to":"/srv/%2E.%2fetc"}', UNCLEAR],
  ['a way up behind a tab', { at: '/to', prefix: 'https://a.test/' }, '{"to":"https://a.test/.\\t./x"}', UNCLEAR],
  ['a way up with a parameter', { at: '/to', prefix: 'https://a.test/' }, '{"to":"https://a.test/..;/x"}', UNCLEAR],
  ['dots that are no way up', { at: '/to', prefix: '/srv/' }, '{"to":"/srv/a..b/..."}', FITS],
  ['half a character', { at: '/to', equals: '\uD83D' }, '{"to":"\\uFFFD"}', NOT],
])('%s', (_what, condition, json, expected) => {
  expect(effects([condition], JSON.parse(json) as Json)).toEqual(expected)
})

test('an input that is too deep to compare makes judging throw, which holds the call', () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const input = JSON.parse(deep) as Json
  expect(() => effects([{ at: '/a/a/a', equals: 1 }], input)).toThrow(RangeError)
  expect(effects([{ at: '/b', equals: 1 }], input)).toEqual(UNCLEAR)
})

test('a rule ends exactly at its expiry, and one with uses at its last', () => {
  const at = (more: Partial<Rule>, now: number): string | undefined =>
    judgeByRules([rule('r', more)], call({}, { now })).decision?.effect
  expect([at({ expiresAt: 1000 }, 999), at({ expiresAt: 1000 }, 1000)]).toEqual(['allow', undefined])
  expect([at({ uses: 2, used: 1 }, 0), at({ uses: 2, used: 2 }, 0)]).toEqual(['allow', undefined])
  // The call that had the last use is judged again before it starts.
  const last = { conversationId: 'c', callId: 'a', at: 1 }
  expect(at({ uses: 2, used: 2, calls: [last] }, 0)).toBe('allow')
})
