/** Several approvers are several names; spellings that look like one name are one. */
import { principalOf } from '../../src/principal.ts'
import { expect, test } from 'vitest'
import type { Call, EventBody } from '../../src/index.ts'
import type { ResolveDecision } from '../../src/turn/verdict.ts'
import { decideResolve } from '../../src/turn/resolve.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { isLookAlikeName } from '../../src/look-alike-name.ts'
import { after, held, replied, started } from './history.ts'

function call(...events: readonly EventBody[]): Call | undefined {
  return findCall(after(started, replied(1, 'a', 'sibling'), held('a', { approvers: 2 }), ...events), 'a')
}

function approve(target: Call | undefined, by: string): ResolveDecision {
  return decideResolve(target, { callId: 'a', resolution: { kind: 'approve' }, by: principalOf(by), now: 2000 })
}

const first = approve(call(), 'grace hopper').events

test.each([
  ['case', 'Grace HOPPER'],
  ['spaces around it', ' grace hopper\t'],
  ['more space within', 'grace  hopper'],
  ['a space that does not break', 'grace\u00a0hopper'],
  ['a zero-width space', 'gra\u200bce hopper'],
  ['a joiner and a soft hyphen', 'grace\u200d hop\u00adper'],
  ['a variation selector', 'grace hopper\ufe0f'],
  ['a direction mark', '\u202egrace hopper\u202c'],
  ['a tag character', 'grace hopper\u{e0041}'],
  ['a blank Braille pattern', 'grace\u2800hopper'],
  ['full width letters', 'ｇｒａｃｅ hopper'],
  ['mathematical letters', '𝐠𝐫𝐚𝐜𝐞 hopper'],
  ['Cyrillic look-alikes', 'gr\u0430\u0441\u0435 h\u043e\u0440\u0440\u0435r'],
  ['Cyrillic capitals', 'GR\u0410\u0421\u0415 \u041d\u041e\u0420\u0420\u0415R'],
  ['Greek look-alikes', 'gr\u03b1ce h\u03bfpper'],
  ['a Greek capital', 'grace \u0397opper'],
])('the second of two approvers is not the first one spelt with %s', (_what, by) => {
  expect(approve(call(...first), by)).toMatchObject({ verdict: 'duplicate', remaining: 1, events: [] })
})

test('another name is another approver', () => {
  for (const by of ['hugo', 'grace', 'grace hopper 2', 'gräce hopper', 'gracehopper'])
    expect(approve(call(...first), by)).toMatchObject({ verdict: 'accepted', remaining: 0 })
})

test('names in other scripts stay apart', () => {
  for (const [one, other] of [
    ['Иван', 'Олег'],
    ['Ольга', 'Олег'],
    ['Σοφία', 'Μαρία'],
    ['王伟', '王芳'],
    ['محمد', 'أحمد'],
  ] as const)
    expect(isLookAlikeName(one, other), `${one}, ${other}`).toBe(false)
})

test('a name of which nothing is left to see is one name, however it is spelt', () => {
  expect(isLookAlikeName('\u200b', ' ')).toBe(true)
})

test('a name is the same in capitals, in any script, and with look-alikes of either case', () => {
  for (const [one, other] of [
    ['Straße', 'STRASSE'],
    ['Jose\u0301', 'JOSÉ'],
    ['Иван', 'ИВАН'],
    ['Иван', 'И\u0042ан'],
    ['Σοφίας', 'ΣΟΦΊΑΣ'],
    ['Navy', '\u039da\u03bdy'],
    ['NAVY', '\u039da\u03bdy'],
    ['niva', 'ni\u03bda'],
    ['Nina', '\u039dina'],
    ['hans', '\u043dans'],
  ] as const)
    expect(isLookAlikeName(one, other), `${one}, ${other}`).toBe(true)
})
