/** The inbox without a terminal: what it shows, and what its keys do. */
import type { HoldRow, Resolution, ResolveResult } from '@holdpoint/client'
import type { Json } from 'holdpoint'
import stringWidth from 'string-width'
import { expect, test, vi } from 'vitest'
import { inboxRows } from '../src/inbox/inbox-rows.ts'
import { InboxState } from '../src/inbox/inbox-state.ts'
import type { PressedKey } from '../src/inbox/typed-text.ts'

const ENTER = { return: true }
const ESCAPE = { escape: true }

function hold(callId: string, input: Json, more: Partial<HoldRow> = {}): HoldRow {
  return {
    conversationId: 'c1',
    callId,
    agent: 'desk',
    name: 'pay',
    kind: 'approval',
    cause: 'tool',
    accepts: ['approve', 'reject'],
    approvers: 1,
    timeoutMs: 60_000,
    onExpire: 'error',
    late: 'reject',
    input,
    proposed: input,
    inputHash: JSON.stringify(input),
    fingerprint: 'f',
    heldAt: 0,
    expiresAt: 60_000,
    endorsed: [],
    endorsedBy: [],
    missing: 1,
    nth: 1,
    may: { approve: true, resolve: true },
    ...more,
  }
}

const LONG = { to: 'Eve', notes: Array.from({ length: 60 }, (_, index) => `note ${index}`) }

function opened(holds: readonly HoldRow[], size: readonly [columns: number, lines: number] = [80, 24]) {
  const sent: { hold: HoldRow; resolution: Resolution }[] = []
  let answer: ResolveResult | Error = { verdict: 'accepted', message: 'Accepted.' }
  const leave = vi.fn<() => void>()
  const state = new InboxState({
    decide: async (about, resolution) => {
      sent.push({ hold: about, resolution })
      if (answer instanceof Error) throw answer
      return answer
    },
    leave,
    onChange: () => {},
  })
  /** As Ink does: draws, and says how much was on the screen. */
  const screen = (columns = size[0], lines = size[1]): string => {
    const { rows, width, height } = inboxRows(state, 'desk.db', columns, lines, 0)
    state.drawn(width, height)
    return rows.map(({ text }) => text).join('\n')
  }
  const press = (...keys: readonly (string | PressedKey)[]): string => {
    for (const key of keys) {
      if (typeof key === 'string') state.press(key, {})
      else state.press('', key)
      screen()
    }
    return screen()
  }
  state.show(holds, false, undefined)
  screen()
  return { state, sent, leave, screen, press, answers: (next: ResolveResult | Error) => (answer = next) }
}

test('a hold cannot be approved before every row of its arguments was on the screen, also not by a jump to the end', () => {
  const { press, sent, state } = opened([hold('a', LONG)])
  expect(press('a', ENTER)).toContain('Read all of it first')
  expect(press({ end: true }, 'a', ENTER)).toContain('Read all of it first')
  press({ home: true }, ' ', ' ', ' ')
  expect(press('a')).toContain('Read all of it first')
  expect(press(' ', ' ', ' ', ' ')).toContain('-- end --')
  expect(press('a')).toContain('Enter: approve it')
  press(ENTER)
  expect(sent).toMatchObject([{ hold: { callId: 'a' }, resolution: { kind: 'approve' } }])
  expect(state.mode.kind).toBe('sending')
})

test('another width begins the reading again; a hold that was read stays read', () => {
  const long = opened([hold('a', LONG)])
  long.press(' ', ' ')
  long.screen(60)
  long.press(' ', ' ', ' ')
  expect(long.press('a')).toContain('Read all of it first')
  const short = opened([hold('a', { to: 'Eve' })], [80, 30])
  short.screen(40, 14)
  expect(short.press('a')).toContain('Enter: approve it')
})

test('a hold that changes while it is read, confirmed or typed about must be read again', () => {
  for (const keys of [[], ['a'], ['e'], ['r']]) {
    const { press, state, sent } = opened([hold('a', { to: 'Eve' })])
    press(...keys)
    state.show([hold('a', { ...LONG, to: 'Bob' })], false, undefined)
    expect(press(ENTER)).toContain('This hold changed')
    expect(press('a')).toContain('Read all of it first')
    expect(sent).toEqual([])
  }
})

test('a hold that was answered elsewhere keeps its place, and no other hold comes under the fingers', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => hold(id, { to: id }))
  const { press, state, sent, screen } = opened([a!, b!, c!])
  press('j', 'a')
  state.show([a!, c!], false, undefined)
  expect(screen()).toContain('No longer waiting')
  expect(press(ENTER, 'a', ENTER)).toContain('It is over')
  expect(sent).toEqual([])
  press('j')
  expect(state.open?.callId).toBe('c')
  press('k')
  expect(state.open?.callId).toBe('a')
})

test('a rejection has the reason as it was typed or pasted; Escape sends nothing', async () => {
  const { press, state, sent } = opened([hold('a', LONG)])
  press('r', 'N', 'o', ESCAPE)
  expect(state.mode.kind).toBe('reading')
  press('r', 'N', 'o', 'x', { backspace: true }, { leftArrow: true }, 'n', { end: true })
  state.paste(', 🤷🏽\r\nnever')
  press({ backspace: true })
  expect(press()).toContain('> Nno, 🤷🏽⏎neve')
  press(ENTER, ENTER, 'a')
  expect(sent.map(({ resolution }) => resolution)).toEqual([{ kind: 'reject', reason: 'Nno, 🤷🏽\nneve' }])
  await vi.waitFor(() => expect(state.notice).toEqual({ look: 'good', text: 'Saved: reject.' }))
})

test('edited arguments are shown and read before they are approved, and Escape drops them', () => {
  const schema = { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'integer' } } }
  const definition = { description: '', executor: 'server', input: schema } as const
  const { press, state, sent } = opened([hold('a', { to: 'Eve', amount: 5 }, { definition })])
  press(' ', 'e', { ctrl: true }, ENTER, 'x')
  expect(press(ENTER)).toContain('This is not a number')
  press({ backspace: true }, { backspace: true }, '7')
  expect(press(ENTER)).toContain('Nothing was sent yet')
  expect(state.lines.map(({ text }) => text.trim())).toContain('"amount": 7')
  press(ESCAPE)
  expect(state.changed).toBeUndefined()
  press('e', ENTER, { backspace: true }, '9', ENTER, { end: true })
  press({ home: true }, ' ', ' ', 'a', ENTER)
  expect(sent.map(({ resolution }) => resolution)).toEqual([{ kind: 'approve', input: { to: 'Eve', amount: 9 } }])
})

test('an answer that the tool refuses is in the form again, with the reason at its field', async () => {
  const properties = { size: { type: 'number' }, gift: { type: 'boolean' }, wrap: { enum: ['red', 'blue'] } }
  const answerSchema = { type: 'object', properties, required: ['size'] }
  const { press, state, sent, answers } = opened([
    hold('a', {}, { kind: 'elicitation', accepts: ['answer'], answerSchema }),
  ])
  answers({ verdict: 'invalid', message: 'size: too small' })
  press('a', '3', { tab: true }, { rightArrow: true }, { downArrow: true }, { leftArrow: true })
  press(ENTER)
  await vi.waitFor(() => expect(state.mode).toMatchObject({ kind: 'answering', form: { at: 0 } }))
  expect(press()).toContain('size: too small')
  answers({ verdict: 'accepted', message: 'Accepted.' })
  press('8', ENTER, ENTER, ENTER)
  await vi.waitFor(() => expect(state.notice?.text).toBe('Saved: answer.'))
  expect(sent.at(-1)?.resolution).toEqual({ kind: 'answer', value: { size: 38, gift: true, wrap: 'blue' } })
})

test('what the person may not do is refused with the reason, and a lost request is not called a failure', async () => {
  const may = { approve: false, resolve: false, why: 'You asked for it yourself.' }
  const refused = opened([hold('a', {}, { may })])
  for (const key of ['a', 'e', 'r']) expect(refused.press(key)).toContain('You asked for it yourself.')
  const lost = opened([hold('a', {})])
  lost.answers(new Error('socket hang up'))
  lost.press('a', ENTER)
  await vi.waitFor(() => expect(lost.state.notice?.text).toBe('It may or may not have been saved: socket hang up'))
  lost.answers({ verdict: 'conflict', message: 'Grace rejected it.' })
  lost.press('a', ENTER)
  await vi.waitFor(() => expect(lost.state.notice?.text).toBe('Not saved (conflict): Grace rejected it.'))
  lost.press('q')
  lost.state.press('c', { ctrl: true })
  expect(lost.leave).toHaveBeenCalledTimes(2)
})

const HOSTILE = [
  '\u001B[2J\u001B[1;1Happroved',
  '\u001B]0;title\u0007',
  '\u009B31m',
  'Eve\u202Egnp',
  'a\r\n"amount": 1',
  'e' + '\u0301'.repeat(80),
  '\u{E0041}\uFE0F\u3164\u2800',
  '\uD800',
  'x'.repeat(3000),
  '界'.repeat(300),
]

test('hostile text cannot draw: no row has a control character, is too wide, or looks like another argument', () => {
  const input = Object.fromEntries(HOSTILE.map((text, index) => [`${text.slice(0, 20)}${index}`, text]))
  const [text] = [HOSTILE.join('')]
  const names = { name: text, agent: text, conversationId: text, reason: `x\nArguments:\n{}`, url: text }
  const { state, screen, press } = opened([hold('a', input, { ...names, comments: [{ at: 0, by: text, text }] })])
  const all = state.lines.map((line) => line.text)
  for (const row of [...all, ...screen().split('\n')]) {
    expect(row).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{5}/u)
    expect(stringWidth(row)).toBeLessThan(80)
  }
  expect(all.filter((row) => row === '  Arguments:')).toHaveLength(1)
  expect(all.filter((row) => row.startsWith('  "amount"'))).toEqual([])
  expect(press('r')).toContain('Why not?')
  state.paste(HOSTILE.join('\n'))
  expect(screen().replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
})

test('every size of terminal has a screen that fits, and one that is too small shows no hold and approves nothing', () => {
  const { state, sent, press, screen } = opened([hold('a', LONG), hold('b', {})], [20, 8])
  expect(press('a', ENTER)).toContain('Too small')
  expect(sent).toEqual([])
  for (const keys of [[], ['r'], [ESCAPE, 'e']] as const) {
    press(...keys)
    for (let columns = 31; columns < 130; columns += 7)
      for (let lines = 12; lines < 60; lines += 5) {
        const rows = screen(columns, lines).split('\n')
        expect(rows).toHaveLength(lines)
        for (const row of rows) expect(row.length).toBeLessThan(columns)
      }
  }
  expect(state.open?.callId).toBe('a')
})
