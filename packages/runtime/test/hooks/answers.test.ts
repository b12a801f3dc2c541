/** What a hook gives back is checked: what makes no sense is a failure of the hook, and lets nothing through. */
import { halt, tool, type CallHook, type ReplyHook } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkMessageHookResult } from '../../src/hooks/check-hook-result.ts'
import { outcomes, World } from '../../../../test/kit/runtime-kit.ts'

const hook = (run: () => unknown): never => ({ name: 'h', run }) as never
const advice = 'Return nothing,'

test.each([
  [true, `returned true. ${advice} { veto: 'why' } or { input }.`],
  ['no', `returned the text "no". ${advice} { veto: 'why' } or { input }.`],
  [{ vet: 'x' }, `returned {"vet":"x"}. ${advice}`],
  [{ veto: '' }, 'returned a "veto" that is not a text: "".'],
  [{ veto: 5 }, 'returned a "veto" that is not a text: 5.'],
  [{ veto: 'no', input: {} }, 'returned {"veto":"no","input":{}}.'],
  [{ input: 'x' }, 'returned an input that is not a JSON object.'],
  [halt('x'), 'returned'],
])('before a call, %j refuses the call, and the turn goes on', async (answer, why) => {
  const world = new World()
  const ran: unknown[] = []
  const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), run: () => (ran.push(1), 'paid') })
  const beforeCall: CallHook[] = [hook(() => answer)]
  const says = [{ calls: [{ name: 'pay' }] }, 'Well.']
  const a = await world.process('a', { says, tools: [pay], agent: { hooks: { beforeCall } } })
  expect(await a.runtime.send('c', 'Pay')).toMatchObject({ status: 'done' })
  expect(ran).toEqual([])
  const [outcome] = Object.values(outcomes(await world.log())) as [{ error: { code: string; message: string } }]
  expect(outcome.error.code).toBe('vetoed')
  expect(outcome.error.message).toContain(`The hook "h" ${why}`)
})

test.each([
  [true, `returned true. ${advice} { again: 'what to improve' } or halt(reason).`],
  ['no', 'returned the text "no".'],
  [{ again: 5 }, 'returned an "again" that is not a text: 5.'],
  [{ again: '' }, 'returned an "again" that is not a text: "".'],
  [{ agian: 'x' }, 'returned {"agian":"x"}.'],
])('after a message, %j ends the turn', async (answer, why) => {
  const world = new World()
  const afterMessage: ReplyHook[] = [hook(() => answer)]
  const a = await world.process('a', { says: ['Hm.'], agent: { hooks: { afterMessage } } })
  const { reason, message } = await a.runtime.send('c', 'Hi')
  expect(reason).toBe('hook_failed')
  expect(message).toContain(`The hook "h" ${why}`)
})

test.each([
  ['opens nothing', () => undefined, 'returned no object with a part() function from open().'],
  [
    'ends with no list',
    () => ({ part: (part: unknown) => part, end: () => ({}) }),
    'returned {} from end(), not a list of parts.',
  ],
])('a stream hook that %s ends the turn', async (_, open, why) => {
  const onStream = [{ name: 'h', open } as never]
  const a = await new World().process('a', { says: ['Hm.'], agent: { hooks: { onStream } } })
  const { reason, message } = await a.runtime.send('c', 'Hi')
  expect([reason, message]).toEqual(['hook_failed', `The hook "h" ${why}`])
})

const file = { type: 'file', mediaType: 'image/png', file: { kind: 'base64', base64: 'AA==' } } as const

test.each([
  ['x', 'returned the text "x". Return nothing, { add }, { replace } or halt(reason).'],
  [true, 'returned true.'],
  [{ replaced: 'typo' }, 'returned {"replaced":"typo"}.'],
  [{ replace: '' }, 'replaced the message with nothing.'],
  [{ replace: [] }, 'replaced the message with nothing.'],
  [{ replace: 5 }, 'returned a "replace" that is neither text nor a list of parts: 5.'],
  [{ add: [{ type: 'text' }] }, 'returned something in "add" that is not a part of a message: {"type":"text"}.'],
  [{ add: [{ ...file, file: { kind: 'url' } }] }, 'returned something in "add" that is not a part of a message'],
  [{ add: [{ type: 'call' }] }, 'returned something in "add" that is not a part of a message'],
])('before a message, %j is a failure', (answer, why) => {
  expect(() => checkMessageHookResult('h', answer)).toThrow(`The hook "h" ${why}`)
})

test('before a message, parts that cannot be stored are a failure', () => {
  expect(() => checkMessageHookResult('h', { add: [{ type: 'text', text: 1n }] })).toThrow(
    'returned a "add" that is not JSON',
  )
})

test('before a message, what makes sense is taken, and nothing is nothing', () => {
  const stop = halt('x')
  expect(checkMessageHookResult('h', stop)).toBe(stop)
  for (const nothing of [undefined, null, {}, { add: '' }, { add: [] }, { add: undefined }])
    expect(checkMessageHookResult('h', nothing)).toBeUndefined()
  expect(checkMessageHookResult('h', { add: 'a', replace: [file, { type: 'text', text: 'b' }] })).toEqual({
    add: 'a',
    replace: [file, { type: 'text', text: 'b' }],
  })
})
