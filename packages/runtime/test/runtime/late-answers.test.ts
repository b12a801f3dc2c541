import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  expectSound,
  heldId,
  outcomes,
  timesAsked,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'

const says = [calls('fetch'), 'Done.']

test('an answer after the deadline is refused as expired where the tool says so, and nothing changes', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [asking('fetch', 'external', { timeout: '5s', late: 'reject' })] })
  await a.runtime.send('c', 'Fetch')
  await world.pass(6000)
  const before = await world.log()

  expect(await a.runtime.answer('c', 'a-2.1.1', 'late')).toMatchObject({ verdict: 'expired' })

  expect(await world.log()).toEqual(before)
})

test.each([
  ['where the tool says so', { late: 'inbox' }],
  ['by default', {}],
])(
  'an answer after the deadline reaches the agent as a new turn %s, once, in whatever process',
  async (_when, more) => {
    const world = new World()
    const setup = {
      says: [({ prompt }) => (JSON.stringify(prompt).includes('late') ? 'I see.' : calls('fetch')), 'Done.'],
      tools: [asking('fetch', 'external', { timeout: '5s', ...more })],
    } satisfies Parameters<World['process']>[1]
    const a = await world.process('a', setup)
    await a.runtime.send('c', 'Fetch')
    await world.pass(6000)
    a.kill()
    const b = await world.process('b', setup)

    expect(await b.runtime.answer('c', 'a-2.1.1', 'late')).toMatchObject({ verdict: 'accepted' })
    expect(await b.runtime.answer('c', 'a-2.1.1', 'late')).toMatchObject({ verdict: 'duplicate' })
    expect(await b.runtime.answer('c', 'a-2.1.1', 'other')).toMatchObject({ verdict: 'conflict' })
    await world.calm()

    const log = await world.log()
    expect(log.filter(({ type }) => type === 'turn.started')).toMatchObject([{}, { items: [{ kind: 'answer' }] }])
    expect(outcomes(log)).toMatchObject({ 'a-2.1.1': { ok: false, error: { code: 'expired' } } })
    expect(await b.runtime.continue('c')).toMatchObject({ text: 'I see.' })
    expectSound(log, a, b)
  },
)

test('an answer after the deadline is late, even before any process noticed that the deadline passed', async () => {
  const world = new World()
  let blind = false
  const look = (question: string): void => {
    if (blind && question === 'due') throw new Error('It cannot look around.')
  }
  const tools = [
    asking('fetch', 'external', { timeout: '5s', late: 'inbox' }),
    asking('ask', 'human', { timeout: '5s' }),
  ]
  const a = await world.process('a', { says: [calls('fetch', 'ask'), 'Done.'], tools, before: look })
  await a.runtime.send('c', 'Both')
  blind = true
  await world.pass(6000)
  expect(count(await world.log(), 'call.settled')).toBe(0)

  expect(await a.runtime.answer('c', 'a-2.1.2', 'L')).toMatchObject({ verdict: 'expired' })
  expect(await a.runtime.answer('c', 'a-2.1.1', 'page')).toMatchObject({
    verdict: 'accepted',
    message: expect.stringContaining('after the deadline'),
  })

  await world.calm()
  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: false }, 'a-2.1.2': { ok: false } })
})

test('a late answer to a call of long ago is found in the store, though the conversation went on for many turns', async () => {
  const world = new World()
  const setup = {
    says,
    tools: [asking('fetch', 'external', { timeout: '5s', late: 'inbox' })],
    agent: { context: { window: { messages: 4 } } },
  }
  const a = await world.process('a', setup)
  await a.runtime.send('c', 'Fetch')
  await world.pass(6000)
  const talk = await world.process('talk', { ...setup, says: ['Fine.'] })
  for (let n = 0; n < 30; n++) await talk.runtime.send('c', `Turn ${n}`)
  a.kill()
  talk.kill()
  const b = await world.process('b', { ...setup, says: ['I see.'] })

  expect(await b.runtime.answer('c', 'a-2.1.1', 'late')).toMatchObject({ verdict: 'accepted' })
  await world.calm()

  expect(timesAsked(b, 'readCall')).toBeGreaterThan(0)
  expect(count(await world.log(), 'answer.arrived')).toBe(1)
  expect(await b.runtime.answer('c', 'a-2.1.1', 'late')).toMatchObject({ verdict: 'duplicate' })
})

test(
  proves(
    'hold.resolves-once',
    'very many late answers at once are each accepted once, and a contradicting caller gets a conflict',
  ),
  async () => {
    const world = new World()
    const names = Array.from({ length: 150 }, () => 'fetch')
    const setup = {
      says: [({ prompt }) => (JSON.stringify(prompt.at(-1)).includes('Fetch') ? calls(...names) : 'I see.'), 'Done.'],
      tools: [asking('fetch', 'external', { timeout: '5s', late: 'inbox' })],
      agent: { context: { window: { messages: 2 } } },
    } satisfies Parameters<World['process']>[1]
    const a = await world.process('a', setup)
    const { holds } = await a.runtime.send('c', 'Fetch')
    await world.pass(6000)
    a.kill()
    const b = await world.process('b', setup)
    const first = await Promise.all(holds.map(({ callId }) => b.runtime.answer('c', callId, 'first')))
    await world.calm()
    b.kill()
    const c = await world.process('c', setup)
    const second = await Promise.all(holds.map(({ callId }) => c.runtime.answer('c', callId, 'second')))

    expect(holds).toHaveLength(150)
    expect(new Set(first.map(({ verdict }) => verdict))).toEqual(new Set(['accepted']))
    expect(new Set(second.map(({ verdict }) => verdict))).toEqual(new Set(['conflict']))
    expect(count(await world.log(), 'answer.arrived')).toBe(150)
  },
)

test(
  proves(
    'hold.never-accepted-and-dropped',
    'an async call lets the turn go on, and its answer starts a turn of its own, after a restart too',
  ),
  async () => {
    const world = new World()
    const setup = {
      says: [({ prompt }) => (JSON.stringify(prompt).includes('ready') ? 'I see.' : calls('fetch')), 'Going on.'],
      tools: [asking('fetch', 'external', { timeout: '1h', async: true })],
    } satisfies Parameters<World['process']>[1]
    const a = await world.process('a', setup)
    expect(await a.runtime.send('c', 'Fetch')).toMatchObject({ status: 'done', text: 'Going on.' })
    expect((await a.runtime.list({ status: 'idle' })).items).toMatchObject([{ id: 'c' }])
    a.kill()
    const b = await world.process('b', setup)

    expect(await b.runtime.answer('c', await heldId(b, 'fetch'), 'ready')).toMatchObject({ verdict: 'accepted' })
    await world.calm()

    expect(await b.runtime.continue('c')).toMatchObject({ text: 'I see.' })
    expect((await b.runtime.pending()).items).toEqual([])
    expectSound(await world.log(), a, b)
  },
)

test('an async call without an answer tells the agent so at its deadline, in an idle conversation', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [({ prompt }) => (JSON.stringify(prompt).includes('No answer in') ? 'A pity.' : calls('fetch')), 'Going on.'],
    tools: [asking('fetch', 'external', { timeout: '30s', async: true })],
    idleMs: 1000,
  })
  await a.runtime.send('c', 'Fetch')

  await world.pass(31_000)

  expect(types(await world.log()).slice(-3)).toEqual(['answer.arrived', 'turn.started', 'model.replied'])
  expect(await a.runtime.continue('c')).toMatchObject({ text: 'A pity.' })
})
