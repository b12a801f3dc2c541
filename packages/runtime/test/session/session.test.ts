import { memoryStore, proves } from '@holdpoint/testing'
import { askUser, chat, definePlugin, ModelError, Session, step, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addressOf, call, desk, expectSound, idOf, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const tools = [
  tool({ name: 'pay', description, input, approval: 'required', run: ({ call: { id } }) => `paid under ${id}` }),
  tool({ name: 'locate', description, input, executor: 'client' }),
  tool({ name: 'ask', description, input, run: () => askUser('Which?') }),
  tool({ name: 'form', description, input, executor: 'human' }),
  tool({ name: 'ok', description, input, run: () => 'ok' }),
]

test('a new session is idle and empty', async () => {
  const session = await Session.open(desk([]).agent)

  expect(session.status).toBe('idle')
  expect(session.events).toEqual([])
  expect(JSON.parse(JSON.stringify(session))).toEqual({ version: 1, id: session.id, events: [] })
})

test.each([
  ['completed', ['Hi.']],
  ['awaiting_user', [{ calls: [call('pay')] }]],
  ['awaiting_user', [{ calls: [call('ask')] }]],
  ['awaiting_user', [{ calls: [call('form')] }]],
  ['awaiting_tools', [{ calls: [call('locate')] }]],
  ['error', [new ModelError('gone', { retryable: false })]],
  ['idle', [{ calls: [call('ok')] }]],
] as const)(
  proves('log.fold-equals-live', 'a session that is %s is the same after being saved and restored elsewhere'),
  async (status, scripts) => {
    const here = desk(scripts, { tools, maxSteps: 1 })
    const { session } = await chat(here.agent, 'Go')
    expect(session.status).toBe(status)

    const restored = await Session.open(desk([], { tools, process: 'q' }).agent, saved(session))

    expect(restored.id).toBe(session.id)
    expect(restored.status).toBe(status)
    expect(restored.state).toEqual(session.state)
    expect(restored.holds).toEqual(session.holds)
    expect(JSON.stringify(restored)).toBe(JSON.stringify(session))
  },
)

test(
  proves('log.no-gaps', 'a conversation carried through a new process at every halt comes to the same end'),
  async () => {
    const scripts = [
      { calls: [call('ok'), call('pay')] },
      { calls: [call('locate')] },
      { calls: [call('ask')] },
      'All done.',
    ]
    let next = 0
    const process = (): ReturnType<typeof desk> =>
      desk([() => scripts[next++]!, () => scripts[next++]!, () => scripts[next++]!], { tools, process: `p${next}` })
    const go = async (data: unknown, answer: (session: Session) => Promise<unknown>): Promise<Session> => {
      const session = await Session.open(process().agent, { data })
      expect(await answer(session)).toMatchObject({ verdict: 'accepted' })
      await session.continue()
      return session
    }
    const first = (await chat(process().agent, 'Go')).session

    const second = await go(saved(first).data, (session) => session.approve(idOf(session, 'pay')))
    const third = await go(saved(second).data, (session) => session.answer(idOf(session, 'locate'), 'home'))
    const fourth = await go(saved(third).data, (session) => session.answer(idOf(session, 'ask'), 'this one'))

    expect(fourth.status).toBe('completed')
    const payId = first.holds[0]!.callId
    expect(outcomes(fourth)).toEqual({
      ok: { ok: true, value: 'ok' },
      pay: { ok: true, value: `paid under ${payId}` },
      locate: { ok: true, value: 'home' },
      ask: { ok: true, value: 'this one' },
    })
    expectSound(fourth)
  },
)

test('saved before the answer and saved after it go on alike', async () => {
  const { session } = await chat(desk([{ calls: [call('pay')] }], { tools }).agent, 'Go')
  await session.approve(idOf(session, 'pay'))
  const there = desk(['Paid.'], { tools, process: 'q' })

  const restored = await Session.open(there.agent, saved(session))
  expect(restored.holds).toEqual([])

  expect(await restored.continue()).toMatchObject({ status: 'done', text: 'Paid.' })
  expect(toldTo(there.model)).toMatchObject({ pay: { ok: true } })
})

test('a session paused between steps is restored and goes on', async () => {
  const { session } = await step(desk([{ calls: [call('ok')] }], { tools }).agent, 'Go')

  const restored = await Session.open(desk(['Fine.'], { tools, process: 'q' }).agent, saved(session))

  expect(await restored.continue()).toMatchObject({ status: 'done', text: 'Fine.', steps: { length: 2 } })
})

test('what was saved does not change when the session goes on', async () => {
  const { session } = await chat(desk(['One.', 'Two.']).agent, 'Go')
  const data = session.toJSON()
  const before = JSON.stringify(data)

  await session.send('More')

  expect(JSON.stringify(data)).toBe(before)
})

test('two sessions restored from the same data go their own ways', async () => {
  const { session } = await chat(desk([{ calls: [call('pay')] }], { tools }).agent, 'Go')
  const { data } = saved(session)
  const [a, b] = await Promise.all(
    ['a', 'b'].map((process) => Session.open(desk(['End.'], { tools, process }).agent, { data })),
  )

  await a!.approve(idOf(a!, 'pay'))
  await b!.reject(idOf(b!, 'pay'))
  await Promise.all([a!.continue(), b!.continue()])

  expect(outcomes(a!)).toMatchObject({ pay: { ok: true } })
  expect(outcomes(b!)).toMatchObject({ pay: { ok: false } })
})

test("the state of plugins is saved with the session, and the caller's scope is not", async () => {
  const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 })
  const count = tool({
    name: 'count',
    description,
    input,
    run: ({ state }) => state.set(counter, (state.get(counter) ?? 0) + 1),
  })
  const options = { tools: [count], plugins: [counter] }
  const here = desk([{ calls: [call('count')] }, 'One.'], options)
  const { session } = await chat(here.agent, 'Count', { scope: { token: 'secret' } })
  const there = desk([{ calls: [call('count')] }, 'Two.'], { ...options, process: 'q' })

  const restored = await Session.open(there.agent, saved(session))
  await restored.send('Again')

  expect(restored.state.plugins).toEqual({ counter: 2 })
  expect(JSON.stringify(restored)).not.toContain('secret')
})

test('a conversation in a store is opened by its id, by any process', async () => {
  const store = memoryStore({ now: () => 0 })
  const one = await Session.open(desk([{ calls: [call('pay')] }], { tools }).agent, { store, id: 'c1' })
  await one.send('Go')

  const two = await Session.open(desk(['Paid.'], { tools, process: 'q' }).agent, { store, id: 'c1' })
  await two.approve(idOf(two, 'pay'))

  expect(await two.continue()).toMatchObject({ status: 'done', text: 'Paid.' })
  expect(await store.read(addressOf('c1'), 0)).toEqual(two.events)
})

test('continue on an empty conversation is refused', async () => {
  const session = await Session.open(desk([]).agent)

  expect(await session.continue()).toMatchObject({ status: 'refused', reason: 'nothing-to-continue' })
})

test('continue after a turn that is complete asks the model for nothing', async () => {
  const { agent, model } = desk(['Done.', 'Why do you ask?'])
  const { session } = await chat(agent, 'Go')

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Done.' })
  expect(model.requests).toHaveLength(1)
})
