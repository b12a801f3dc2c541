import { expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  gated,
  heldId,
  LEASE,
  noting,
  slow,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'
import { diesAfter } from '../../../../test/kit/mortal.ts'

test('with several agents the first message says whose conversation it is, and later ones need not', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'], agents: ['desk', 'sales'] })

  await expect(a.runtime.send('c', 'Hello')).rejects.toMatchObject({
    code: 'config-invalid',
    message: 'Say which agent conversation "c" is for: desk, sales.',
  })
  await a.runtime.send('c', 'Hello', { agent: 'sales' })
  const b = await world.process('b', { says: ['Hi.'], agents: ['desk', 'sales'] })
  for (const { runtime } of [a, b]) expect(await runtime.send('c', 'Again')).toMatchObject({ status: 'done' })

  expect((await a.runtime.list()).items).toMatchObject([{ id: 'c', agent: 'sales' }])
})

test('a conversation of one agent is not given to another, whether it is in memory or not', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'], agents: ['desk', 'sales'] })
  await a.runtime.send('c', 'Hello', { agent: 'sales' })
  const b = await world.process('b', { says: ['Hi.'], agents: ['desk', 'sales'] })
  const before = await world.log()

  for (const { runtime } of [a, b, b]) {
    const wrong = { code: 'config-invalid', message: 'Conversation "c" belongs to agent "sales", not "desk".' }
    await expect(runtime.send('c', 'Hello', { agent: 'desk' })).rejects.toMatchObject(wrong)
    await expect(runtime.continue('c', { agent: 'desk' })).rejects.toMatchObject(wrong)
    await expect(runtime.create({ id: 'c', agent: 'desk' })).rejects.toMatchObject(wrong)
  }
  expect(await world.log()).toEqual(before)
})

test('asking about a conversation before it exists does not decide whose it will be', async () => {
  const world = new World()
  const agents = ['desk', 'sales']
  const a = await world.process('a', { says: ['Hi.'], agents, deaf: true })
  await expect(a.runtime.send('c', '', { agent: 'desk' })).rejects.toThrow('cannot be empty')
  await a.runtime.continue('c', { agent: 'desk' })
  const b = await world.process('b', { says: ['Hi.'], agents })
  await b.runtime.send('c', 'Hello', { agent: 'sales' })

  expect(await a.runtime.send('c', 'Again')).toMatchObject({ status: 'done' })

  expect((await world.log()).flatMap((event) => ('agent' in event ? [event.agent] : []))).toEqual(['sales', 'sales'])
})

test('an agent that this process does not have is named as missing, and its conversations do not disturb others', async () => {
  const world = new World()
  const other = await world.process('other', {
    says: [calls('pay')],
    tools: [noting([], 'pay', gated)],
    agents: ['sales'],
  })
  await other.runtime.send('c', 'Pay')
  const a = await world.process('a', { says: ['Hi.'], agents: ['desk'] })

  const missing = { code: 'agent-missing', message: expect.stringContaining('"sales"') }
  await expect(a.runtime.send('c', 'More')).rejects.toMatchObject(missing)
  await expect(a.runtime.approve('c', await heldId(other, 'pay'))).rejects.toMatchObject(missing)
  await expect(a.runtime.send('d', 'Hi', { agent: 'legal' })).rejects.toMatchObject({ code: 'agent-missing' })
  expect(await a.runtime.send('e', 'Hi')).toMatchObject({ status: 'done' })
  expect(count(await world.log(), 'turn.started')).toBe(1)
})

test('work and deadlines of an agent wait for a process that has it, and are left alone by those that do not', async () => {
  const world = new World()
  const setup = {
    says: [calls('work', 'ask')],
    tools: [noting([], 'work'), asking('ask', 'human', { timeout: '20s' })],
    agents: ['sales'],
  }
  const dead = await world.process('dead', { ...setup, ...diesAfter('call.started') })
  void dead.runtime.send('c', 'Work')
  await world.calm()
  const a = await world.process('a', { says: ['Hi.'], agents: ['desk'] })
  const before = await world.log()
  await world.pass(3 * LEASE)
  expect(await world.log()).toEqual(before)
  expect(a.problems).toEqual([])

  await world.process('b', setup)
  await world.calm()

  expect(types(await world.log()).at(-1)).toBe('model.replied')
})

test('two agents in one process work at the same time, each with its own tools', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool], agents: ['desk', 'sales'] })

  const both = ['desk', 'sales'].map((agent) => a.runtime.send(agent, 'Work', { agent }))
  await world.until(() => work.started.length === 2)
  work.release()

  for (const result of await Promise.all(both)) expect(result).toMatchObject({ status: 'done' })
})

test('two first messages at once come to one conversation in memory, however the store answers', async () => {
  const world = new World()
  const ran: string[] = []
  let loads = 0
  const a = await world.process('a', {
    says: [calls('work')],
    tools: [noting(ran, 'work')],
    agents: ['desk', 'sales'],
    // The first of the two waits longest for its answer.
    before: async (question) => {
      for (let left = question === 'load' ? ([0, 60, 10][loads++] ?? 0) : 0; left > 0; left--)
        await new Promise((resolve) => setImmediate(resolve))
    },
  })
  const refused = a.runtime.send('c', '', { agent: 'desk' })
  await expect(world.soon(refused)).rejects.toThrow('cannot be empty')

  const both = [1, 2].map((n) => a.runtime.send('c', `Message ${n}`, { agent: 'sales', whileBusy: 'queue' }))
  const third = world.soon(Promise.all(both)).then(() => world.soon(a.runtime.send('c', 'Message 3')))

  expect(await third).toMatchObject({ status: 'done' })
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual(['done', 'done'])
  expect(new Set(ran).size).toBe(ran.length)
  expect(count(await world.log(), 'call.started')).toBe(ran.length)
})

test('of first messages for different agents, through two processes at once, one begins the conversation', async () => {
  for (const begin of ['send', 'submit', 'create'] as const) {
    const world = new World()
    const agents = ['desk', 'sales']
    const gate = Promise.withResolvers<void>()
    const a = await world.process('a', { says: ['Hi.'], agents })
    const b = await world.process('b', {
      says: ['Hi.'],
      agents,
      // It decides on a conversation that does not exist yet.
      before: (question) => (question === 'append' ? gate.promise : undefined),
    })
    const given = { agent: 'sales' }
    const late = begin === 'create' ? b.runtime.create({ id: 'c', ...given }) : b.runtime[begin]('c', 'Hi', given)
    const told = late.catch((error: unknown) => error)
    await a.runtime.send('c', 'Hello', { agent: 'desk' })
    gate.resolve()
    expect(await told).toMatchObject({
      code: 'config-invalid',
      message: 'Conversation "c" belongs to agent "desk", not "sales".',
    })
    await world.pass(5000)

    expect(new Set((await world.log()).flatMap((event) => ('agent' in event ? [event.agent] : [])))).toEqual(
      new Set(['desk']),
    )
    expect(count(await world.log(), 'turn.started')).toBe(1)
    expect(await b.runtime.send('c', 'Again')).toMatchObject({ status: 'done' })
  }
})
