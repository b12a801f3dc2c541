import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Model, type ModelPart, type ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, types, until } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const ran: string[] = []
const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => (ran.push('pay'), 'paid') })
const held = [{ calls: [call('pay')] }, 'Paid.', 'You are welcome.']

function waiting(): { slow: ReturnType<typeof tool>; release: (value: string) => void; signals: AbortSignal[] } {
  const { promise, resolve } = Promise.withResolvers<string>()
  const signals: AbortSignal[] = []
  return {
    slow: tool({ name: 'slow', description, input, run: ({ signal }) => (signals.push(signal), promise) }),
    release: resolve,
    signals,
  }
}

test('a message while a call is held is refused by default, and nothing changes', async () => {
  const { agent, model } = desk(held, { tools: [pay] })
  const { session } = await chat(agent, 'Pay')
  const before = JSON.stringify(session)

  const refused = await session.send('Thank you')

  expect(refused).toMatchObject({
    status: 'refused',
    reason: 'turn-in-progress',
    message: expect.stringContaining('1 call is held'),
    holds: [{ name: 'pay' }],
  })
  expect(JSON.stringify(session)).toBe(before)
  expect(model.requests).toHaveLength(1)
})

test('a message while a tool runs is refused too', async () => {
  const { slow, release } = waiting()
  const { agent } = desk([{ calls: [call('slow')] }, 'Done.'], { tools: [slow] })
  const session = await Session.open(agent)
  const first = session.send('Go')
  await until(() => types(session).includes('call.started'))

  expect(await session.send('And?')).toMatchObject({
    status: 'refused',
    message: expect.stringContaining('a turn is in progress'),
  })
  release('ok')

  expect(await first).toMatchObject({ status: 'done', text: 'Done.' })
})

test('queue: the message waits, through a restart, and gets a turn of its own after this one', async () => {
  const { agent, model } = desk(held, { tools: [pay] })
  const { session: first } = await chat(agent, 'Pay')
  expect(await first.send('Thank you', { whileBusy: 'queue', by: 'ada' })).toMatchObject({ status: 'held' })
  expect(await first.send('Really', { whileBusy: 'queue', by: 'ada' })).toMatchObject({ status: 'held' })

  const session = await Session.open(agent, saved(first))
  await session.approve(idOf(session, 'pay'))
  await session.continue()

  expect(model.requests).toHaveLength(3)
  expect(model.requests[2]?.prompt.at(-1)).toEqual({
    role: 'user',
    parts: [
      { type: 'text', text: 'Thank you' },
      { type: 'text', text: 'Really' },
    ],
  })
  expect(session.state.queue).toEqual([])
  expectSound(session, model)
})

test(
  proves(
    'cancel.pairs-every-call',
    'supersede: the open calls are cancelled with results, and the new message takes over in the same breath',
  ),
  async () => {
    ran.length = 0
    const { agent, model } = desk([{ calls: [call('pay'), call('pay')] }, 'Fine, no payment.'], { tools: [pay] })
    const { session, holds } = await chat(agent, 'Pay twice')

    const result = await session.send('Never mind', { whileBusy: 'supersede' })

    expect(result).toMatchObject({ status: 'done', text: 'Fine, no payment.' })
    expect(outcomes(session)).toMatchObject({ pay: { ok: false, error: { code: 'superseded' } } })
    for (const { callId } of holds) expect(await session.approve(callId)).toMatchObject({ verdict: 'stale' })
    expect(session.events.find(({ type }) => type === 'turn.ended')).toMatchObject({ reason: 'superseded' })
    expect(ran).toEqual([])
    expectSound(session, model)
  },
)

test('supersede stops a running tool by its signal, and drops what it says later', async () => {
  const { slow, release, signals } = waiting()
  const { agent, model } = desk([{ calls: [call('slow')] }, 'Hello.'], { tools: [slow], whileBusy: 'supersede' })
  const session = await Session.open(agent)
  const first = session.send('Go')
  await until(() => signals.length === 1)

  const second = await session.send('Hello')
  release('too late')
  await first

  expect(signals[0]?.aborted).toBe(true)
  expect(second).toMatchObject({ status: 'done', text: 'Hello.' })
  expect(outcomes(session)).toMatchObject({ slow: { ok: false, error: { code: 'superseded' } } })
  expectSound(session, model)
})

test('the sender of a message gets the result of its own turn, and not of the next one', async () => {
  const { slow, signals } = waiting()
  const { agent } = desk([{ calls: [call('slow')] }, 'Hello.'], { tools: [slow] })
  const session = await Session.open(agent)
  const first = session.send('Go')
  await until(() => signals.length === 1)
  const second = session.send('Hello', { whileBusy: 'supersede' })

  expect(await first).toMatchObject({ status: 'stopped', reason: 'superseded', steps: [{ calls: [{ name: 'slow' }] }] })
  expect(await second).toMatchObject({ status: 'done', text: 'Hello.' })
})

test('with a queue, each sender gets the result of its own turn', async () => {
  const { slow, signals, release } = waiting()
  const { agent } = desk([{ calls: [call('slow')] }, 'The first is done.', 'And the second.'], {
    tools: [slow],
    whileBusy: 'queue',
  })
  const session = await Session.open(agent)
  const first = session.send('One')
  await until(() => signals.length === 1)
  const second = session.send('Two')
  release('ok')

  expect(await first).toMatchObject({ status: 'done', text: 'The first is done.' })
  expect(await second).toMatchObject({ status: 'done', text: 'And the second.' })
})

test('the agent has a policy, and a message may have another', async () => {
  const { agent } = desk([...held, 'ok'], { tools: [pay], whileBusy: 'queue' })
  const { session } = await chat(agent, 'Pay')

  expect(await session.send('One')).toMatchObject({ status: 'held' })
  expect(await session.send('Two', { whileBusy: 'refuse' })).toMatchObject({ status: 'refused' })
  expect(session.state.queue).toHaveLength(1)
})

test('a message sent while idle, before the queue was taken, does not lose the queue', async () => {
  const { agent, model } = desk([...held, 'And that.'], { tools: [pay] })
  const { session } = await chat(agent, 'Pay')
  await session.send('Queued', { whileBusy: 'queue' })
  await session.cancel()

  await session.send('After the cancel')

  expect(session.state.queue).toEqual([])
  const said = JSON.stringify(model.requests.at(-1)?.prompt)
  expect(said).toContain('Queued')
  expect(said).toContain('After the cancel')
})

test('cancel leaves the queue for continue, which answers it in one turn', async () => {
  const { agent, model } = desk([{ calls: [call('pay')] }, 'Here.'], { tools: [pay] })
  const { session } = await chat(agent, 'Pay')
  await session.send('Are you there?', { whileBusy: 'queue' })
  await session.cancel()

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Here.' })
  expect(model.requests).toHaveLength(2)
  expect(JSON.stringify(model.requests[1]?.prompt)).toContain('Are you there?')
})

test('of two messages sent at the same moment one begins a turn, and the other meets it', async () => {
  const { agent, model } = desk(['One.'])
  const session = await Session.open(agent)

  const results = await Promise.all([session.send('A'), session.send('B')])

  expect(results.map(({ status }) => status).toSorted()).toEqual(['done', 'refused'])
  expect(model.requests).toHaveLength(1)
})

test('supersede while the model streams: the reply so far is dropped, and the model is called again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const prompts: ModelRequest[] = []
  const model: Model = {
    id: 'slow',
    async *stream(request): AsyncGenerator<ModelPart> {
      const nth = prompts.push(request)
      yield { type: 'text', id: 't', delta: `Reply ${nth}` }
      if (nth === 1) await promise
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const session = await Session.open(desk([], { model }).agent)
  const first = session.send('One')
  await until(() => prompts.length === 1)

  const second = await session.send('Two', { whileBusy: 'supersede' })
  resolve()

  expect(second).toMatchObject({ status: 'done', text: 'Reply 2' })
  expect(await first).toMatchObject({ status: 'stopped', reason: 'superseded', text: '' })
  expect(prompts[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
  expect(prompts[0]?.signal.aborted).toBe(true)
})
