/** Spaces and autonomous agents through the client: the same view as on the server, after every lost connection. */
import { expect, test, vi } from 'vitest'
import { emptySpaceView } from '@holdpoint/spaces/view'
import { vendorName, type Model, type ModelPart, type ResolveResult } from '@holdpoint/core'
import type { ClientTool } from '@holdpoint/client'
import { desk, type Desk } from './desk.ts'

const until = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(async () => expect(await check()).toBeTruthy(), { timeout: 80_000, interval: 5 })

const ada = { kind: 'human', id: 'ada' } as const
const bob = { kind: 'human', id: 'bob' } as const
const agent = { kind: 'agent', id: 'desk' } as const

const usage = { inputTokens: 1, outputTokens: 1 }
const finish: ModelPart = { type: 'finish', reason: 'calls', usage }

/** A model that posts in the space and pauses in the middle of the text until the test continues it. */
function speaker(gate: Promise<void> = Promise.resolve()): Model {
  return {
    id: 'speaker',
    async *stream({ prompt }) {
      if (prompt.at(-1)?.role === 'tool') return yield { type: 'finish', reason: 'stop', usage }
      yield { type: 'call', id: 'c0', name: 'enter_space', input: '{"space":"trip"}' }
      yield { type: 'call-input', id: 'c1', name: 'send_message', delta: '{"text":"Let me ' }
      await gate
      yield { type: 'call', id: 'c1', name: 'send_message', input: '{"text":"Let me see"}' }
      yield finish
    },
  }
}

async function trip(model?: Model): Promise<Desk> {
  const here = await desk(model ? { model } : {})
  const made = await here.client.spaces.create({ id: 'trip', name: 'Trip', by: 'ada', members: [{ member: bob }] })
  expect(made).toMatchObject({ ok: true, id: 'trip' })
  return here
}

test('a live space starts with the stored view and stays equal to the view of the server', async () => {
  const { client, runtime } = await trip(speaker())
  const live = client.space('trip')
  live.subscribe(() => {})
  await until(() => live.connection.state === 'live')
  const same = () => until(async () => JSON.stringify(live.view) === JSON.stringify(await runtime.spaces.view('trip')))
  await same()
  await client.spaces.join('trip', agent)
  expect(await live.post('Hello', { from: ada })).toMatchObject({ ok: true, quiet: false })
  await until(() => live.view.messages.length === 2)
  expect(live.view.messages[1]).toMatchObject({ from: agent, text: 'Let me see' })
  expect(await live.read(undefined, { member: bob })).toMatchObject({ ok: true })
  expect(await client.spaces.join('trip', bob, { role: 'owner' })).toMatchObject({ ok: true })
  await until(() => live.view.active.length === 0)
  await same()
  expect(await client.spaces.leave('trip', ada, { by: 'ada' })).toMatchObject({ ok: true })
  await same()
  live.close()
})

test('after each lost connection no message is missing and none is repeated', async () => {
  const { client, runtime, line } = await trip()
  const live = client.space('trip')
  live.subscribe(() => {})
  await until(() => live.connection.state === 'live')
  for (let nth = 0; nth < 30; nth++) {
    await runtime.spaces.post('trip', `message ${nth}`, { from: nth % 2 === 0 ? ada : bob })
    if (nth % 7 === 3) {
      line.cut()
      live.reconnect()
    }
  }
  await until(() => live.view.messages.length === 30)
  expect(live.view).toEqual(await runtime.spaces.view('trip'))
  live.close()
})

test('older messages are loaded on demand, in their current state', async () => {
  const { client, runtime } = await trip()
  for (let nth = 0; nth < 9; nth++) await runtime.spaces.post('trip', `message ${nth}`, { from: ada })
  const live = client.space('trip', { messages: 2 })
  live.subscribe(() => {})
  await until(() => live.connection.state === 'live')
  expect(live.view.messages).toHaveLength(2)
  expect(await live.earlier(3)).toBe(true)
  expect(await live.earlier(100)).toBe(false)
  expect(live.view).toEqual(await runtime.spaces.view('trip'))
  live.close()
})

test('text being written is shown before it is posted, and again after a reconnect', async () => {
  const gate = Promise.withResolvers<void>()
  const { client, runtime, line } = await trip(speaker(gate.promise))
  await runtime.spaces.join('trip', agent)
  const live = client.space('trip')
  live.subscribe(() => {})
  await until(() => live.connection.state === 'live')
  await live.post('Hello', { from: ada })
  await until(() => live.view.writing[0]?.text === 'Let me ')
  expect(live.view.writing).toEqual([{ agent: 'desk', id: expect.any(String), text: 'Let me ' }])
  // Another reader keeps the stream of the gateway open.
  const other = client.space('trip')
  other.subscribe(() => {})
  await until(() => other.view.writing[0]?.text === 'Let me ')
  line.cut()
  live.reconnect()
  await until(() => live.connection.state === 'live' && live.view.writing[0]?.text === 'Let me ')
  gate.resolve()
  await until(() => live.view.messages.length === 2)
  expect(live.view.writing).toEqual([])
  live.close()
  other.close()
})

test('client tools run once on every page that shows the space, and the first answer counts', async () => {
  const asks: Model = {
    id: 'asks',
    async *stream({ prompt }) {
      if (prompt.at(-1)?.role === 'tool') return yield { type: 'finish', reason: 'stop', usage }
      yield { type: 'call', id: 'c0', name: 'enter_space', input: '{"space":"trip"}' }
      yield { type: 'call', id: 'c1', name: vendorName('browser.location'), input: '{"to":"Ada"}' }
      yield { type: 'call', id: 'c2', name: vendorName('browser.photo'), input: '{"to":"Bob"}' }
      yield finish
    },
  }
  const { client, another, line } = await trip(asks)
  await client.spaces.join('trip', agent)
  const ran: object[] = []
  const verdicts: string[] = []
  const onAnswer = ({ verdict }: ResolveResult): void => void verdicts.push(verdict)
  const both = Promise.withResolvers<void>()
  const location: ClientTool = {
    run: async (input, { call: { name, spaceId, nth } }) => {
      if (ran.push({ input, name, spaceId, nth }) === 2) both.resolve()
      await both.promise
      return { city: 'Tokyo' }
    },
    onAnswer,
  }
  const pages = [client.space('trip'), another().space('trip')]
  for (const page of pages) page.tools({ 'browser.location': location })
  // The tool has a grace: its call would fail if the gateway did not know that a client can answer it.
  const photo: ClientTool = {
    run: () => {
      throw new Error('No camera')
    },
    onAnswer,
  }
  pages[0]?.tools({ 'browser.photo': photo })
  expect(() => pages[0]?.tools({ 'browser.photo': photo })).toThrow(
    'The client tool "browser.photo" is already registered',
  )
  await client.spaces.post('trip', 'Where are we?', { from: ada })
  await until(() => ran.length === 2)
  line.cut()
  await until(() => verdicts.length === 3)
  expect(ran).toEqual(
    Array.from({ length: 2 }, () => ({ input: { to: 'Ada' }, name: 'browser.location', spaceId: 'trip', nth: 1 })),
  )
  expect(verdicts.toSorted()).toEqual(['accepted', 'accepted', 'duplicate'])
  const tools = async () =>
    (await client.spaces.view('trip'))?.messages.flatMap((each) => (each.kind === 'tool' ? [each] : [])) ?? []
  await until(async () => (await tools()).every(({ status }) => status === 'complete' || status === 'error'))
  expect(await tools()).toMatchObject([
    { status: 'complete', output: { city: 'Tokyo' } },
    { status: 'error', error: { message: 'No camera' } },
  ])
  for (const page of pages) page.close()
})

test('a refusal is a value with the code of the space', async () => {
  const { client } = await trip()
  const { spaces } = client
  expect(await spaces.create({ id: 'trip', name: 'Again' })).toMatchObject({ ok: false, refusal: 'id-taken' })
  expect(await spaces.post('trip', 'Hi', { from: { kind: 'human', id: 'eve' } })).toMatchObject({
    refusal: 'not-a-member',
  })
  expect(await spaces.post('nowhere', 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
  expect(await spaces.post('trip', 'Hi', { from: ada, replyTo: 1 })).toMatchObject({ refusal: 'not-a-message' })
  expect(await spaces.leave('trip', ada)).toMatchObject({ refusal: 'last-owner' })
  expect(await spaces.view('nowhere')).toBeUndefined()
  expect(await spaces.answer('trip', 'x.1.1', true)).toMatchObject({ verdict: 'unknown' })
  expect((await spaces.list()).items).toMatchObject([{ id: 'trip', name: 'Trip', members: 2 }])
  const { items } = await spaces.events('trip')
  const seqs: number[] = []
  for await (const message of spaces.follow('trip', { after: 1 })) {
    if (message.kind === 'event') seqs.push(message.event.seq)
    if (seqs.length === items.length - 1) break
  }
  expect(seqs).toEqual([2, 3])
  const live = client.space('nowhere')
  live.subscribe(() => {})
  await until(() => live.connection.state === 'waiting')
  expect(live.view).toBe(emptySpaceView)
  live.close()
})

test('the client triggers an agent, reads its state, and changes its plans', async () => {
  const { client, runtime } = await desk()
  expect(await client.agents.trigger('desk', { id: 'i-1', name: 'paid', data: { euros: 5 } })).toEqual({ id: 'i-1' })
  expect(await client.agents.trigger('desk', { id: 'i-1', name: 'paid' })).toEqual({ id: 'i-1', repeated: true })
  await until(async () => (await runtime.view('agent:desk'))?.status === 'idle')
  expect(await client.agents.setPlan('desk', { id: 'p', what: 'Stretch', runAfter: '1 h' })).toMatchObject({ id: 'p' })
  expect(await client.agents.plans('desk')).toMatchObject([{ id: 'p', what: 'Stretch' }])
  expect(await client.agents.life('desk')).toMatchObject({ status: 'asleep', waiting: 0, plans: [{ id: 'p' }] })
  await client.agents.removePlan('desk', 'p')
  expect(await client.agents.plans('desk')).toEqual([])
  expect(await client.agents.life('missing')).toBeUndefined()
  await expect(client.agents.setPlan('desk', { what: 'Never', cron: 'often' })).rejects.toThrow('The plan is invalid')
})
