/** Forms in Slack: arguments to edit, a question to answer, a reason; what is wrong is said at its field. */
import { scriptedModel } from '@holdpoint/testing'
import type { HoldMessage } from '@holdpoint/channels'
import { tool, type Json, type JsonObject, type Runtime } from 'holdpoint'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { desk, type Desk } from './slack-desk.ts'

const pay = (ran: unknown[]) =>
  tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({ to: z.string(), euros: z.number().max(100), fast: z.boolean().optional() }),
    approval: 'required',
    run: ({ input }) => (ran.push(input), 'paid'),
  })

const survey = tool({
  name: 'survey',
  description: 'Ask',
  executor: 'human',
  input: z.object({}),
  output: z.object({ size: z.enum(['s', 'm']), count: z.number().int().min(1), note: z.string().optional() }),
})

async function payDesk(input: JsonObject = { to: 'Eve', euros: 50 }): Promise<Desk & { ran: unknown[] }> {
  const ran: unknown[] = []
  const model = scriptedModel([{ calls: [{ name: 'pay', input }] }, 'Done.'])
  const at = await desk({ tools: [pay(ran)], model })
  await at.hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(at.messages).toHaveLength(1))
  return { ...at, ran }
}

async function surveyDesk(): Promise<Desk> {
  const at = await desk({
    tools: [survey],
    model: scriptedModel([{ calls: [{ name: 'survey', input: {} }] }, 'Done.']),
  })
  await at.hp.send('c', 'Ask', { by: 'bob' })
  await vi.waitFor(() => expect(at.messages).toHaveLength(1))
  return at
}

const open = async (hp: Runtime) => (await hp.pending()).items.length

test('arguments are edited in a form with a field each, and the call runs with them', async () => {
  const { press, submit, views, messages, ran, hp } = await payDesk()
  expect(await press('U-ada', 'edit')).toBe(200)
  const [view] = views
  expect(
    view?.blocks.slice(1).map(({ label, element }) => [label?.text, element?.type, element?.initial_value]),
  ).toEqual([
    ['to', 'plain_text_input', 'Eve'],
    ['euros', 'plain_text_input', '50'],
    ['fast', 'static_select', undefined],
  ])
  expect(await submit('U-ada', { to: 'Eve', euros: '40', fast: 'true' })).toEqual({ status: 200, said: undefined })
  await vi.waitFor(() => expect(ran).toEqual([{ to: 'Eve', euros: 40, fast: true }]))
  await vi.waitFor(() => expect(messages[0]?.thread.join()).toContain('approved by ada, with other arguments'))
  // Slack sends a form again when the answer was lost.
  expect((await submit('U-ada', { to: 'Eve', euros: '40', fast: 'true' })).said?.response_action).toBe('update')
  expect([ran.length, await open(hp)]).toEqual([1, 0])
})

test('what cannot be read, and what the tool refuses, is an error at its field, and decides nothing', async () => {
  const { press, submit, views, hp } = await payDesk()
  await press('U-ada', 'edit')
  const block = views[0]?.blocks.find(({ label }) => label?.text === 'euros')?.block_id ?? ''
  for (const euros of ['many', '5000', '']) {
    const { said } = await submit('U-ada', { to: 'Eve', euros })
    expect(said?.response_action, euros).toBe('errors')
    expect(Object.keys(said?.errors ?? {}), euros).toEqual([block])
  }
  expect(await open(hp)).toBe(1)
})

test('a question is a form of its schema, and the answer is what the tool returns', async () => {
  const { press, submit, views, hp } = await surveyDesk()
  await press('U-ada', 'answer')
  expect(views[0]?.blocks.map(({ element }) => element?.options?.map(({ value }) => value))).toContainEqual([
    '"s"',
    '"m"',
  ])
  const wrong = await submit('U-ada', { size: '"m"', count: '0', note: '' })
  expect(Object.values(wrong.said?.errors ?? {}).join()).toMatch(/count/)
  expect(await submit('U-ada', { size: '"m"', count: '2', note: '' })).toMatchObject({ said: undefined })
  expect(await open(hp)).toBe(0)
  const [answer] = await hp.events('c').then((events) => events.filter(({ type }) => type === 'call.settled'))
  expect(answer).toMatchObject({ outcome: { ok: true, value: { size: 'm', count: 2 } }, by: 'ada' })
})

test('a reason is asked for, and is in the thread', async () => {
  const { press, submit, messages } = await payDesk()
  await press('U-ada', 'reason')
  await submit('U-ada', { Reason: 'Too much.' })
  await vi.waitFor(() => expect(messages[0]?.thread.join()).toContain('rejected by ada: Too much.'))
})

test('a form is for its person and its hold: an unmapped user, a forged, foreign, late or old form decides nothing', async () => {
  const { press, submit, views, replies, hp, messages } = await payDesk()
  expect(await press('U-eve', 'edit')).toBe(200)
  await vi.waitFor(() => expect(replies.join()).toContain('you may not decide it'))
  expect(views).toEqual([])
  await press('U-ada', 'edit')
  const [view] = views
  const texts = { to: 'Eve', euros: '1' }
  expect((await submit('U-ada', texts, { secret: 'another' })).status).toBe(401)
  expect((await submit('U-ada', texts, { at: Math.floor(Date.now() / 1000) - 600 })).status).toBe(401)
  expect((await submit('U-ada', texts, { team: 'T2' })).status).toBe(401)
  expect((await submit('U-eve', texts)).said?.response_action).toBe('update')
  const names = JSON.parse(view!.private_metadata) as object
  for (const other of [
    { hold: 2 },
    { callId: 'x' },
    { conversationId: 'x' },
    { tenant: 'other' },
    { asks: 'answer' },
  ]) {
    const forged = { ...view!, private_metadata: JSON.stringify({ ...names, ...other }) }
    expect((await submit('U-ada', texts, { view: forged })).said, JSON.stringify(other)).toBeDefined()
  }
  for (const metadata of ['', '{', '{"hold":1}', '[]'])
    expect((await submit('U-ada', texts, { view: { ...view!, private_metadata: metadata } })).status).toBe(200)
  expect(await open(hp)).toBe(1)
  await hp.reject('c', (await hp.pending()).items[0]!.callId, 'No.', { by: 'grace' })
  expect(JSON.stringify((await submit('U-ada', texts)).said)).toContain('Nothing was decided.')
  await vi.waitFor(() => expect(messages[0]?.blocks).toContain('rejected by grace'))
})

test('a trigger that is too old opens no form, and the user is told to press again', async () => {
  const { press, views, replies, triggers } = await payDesk()
  const has = triggers.delete.bind(triggers)
  triggers.delete = (trigger) => has(trigger) && false
  await press('U-ada', 'edit')
  await vi.waitFor(() => expect(replies.join()).toContain('Press again'))
  expect(views).toEqual([])
})

test('arguments that a form of Slack cannot show whole are edited in the console', async () => {
  const { press, views, replies } = await payDesk({ to: 'x'.repeat(3001), euros: 1 })
  await press('U-ada', 'edit')
  await vi.waitFor(() => expect(replies.join()).toContain('Open the console.'))
  expect(views).toEqual([])
})

test('a digest is one message with buttons for each open hold, and is updated', async () => {
  const { channel, channels, messages, mails, press, hp } = await desk()
  await channels.people.put('', { person: 'bea', addresses: { mail: 'bea' }, resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect([messages.length, mails.length]).toEqual([1, 1]))
  const [hold] = mails
  const over = { ...hold!, callId: 'other', end: { how: 'expired' as const } }
  const show = (holds: readonly HoldMessage[], ref?: Json): Promise<Json> => {
    const digest = { tenant: '', person: 'ada', holds, more: 3, url: 'https://holds.acme.test/holds' }
    return channel.showDigest!({ digest, address: 'U-ada', ref, key: 'k', signal: new AbortController().signal })
  }
  const ref = await show(Array.from({ length: 20 }, () => hold!))
  const [, message] = messages
  expect(message?.text).toBe('23 holds wait for you')
  expect((JSON.parse(message!.blocks) as unknown[]).length).toBeLessThanOrEqual(50)
  expect(await press('U-ada', 'approve', { message: message! })).toBe(200)
  expect(await open(hp)).toBe(0)
  await show([over, over], ref)
  expect(messages).toHaveLength(2)
  expect(messages[1]?.blocks).not.toContain('"approve"')
  expect(messages[1]?.blocks).toContain('expired without an answer')
})
