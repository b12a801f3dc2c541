import { proves } from '@holdpoint/testing'
import { agent, HoldpointError, Runtime, type Runtime as TheRuntime } from 'holdpoint'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  gated,
  heldId,
  noting,
  timesAsked,
  types,
  World,
  writesOf,
  type Process,
} from '../../../../test/kit/runtime-kit.ts'

async function desk(world: World): Promise<Process> {
  return world.process('a', { says: [calls('pay')], tools: [noting([], 'pay', gated), asking('ask', 'human')] })
}

/** What it was refused with; anything but our own error is a crash. */
async function refusal(work: () => unknown): Promise<string> {
  const error: unknown = await (async () => work())().then(
    () => 'it was taken',
    (thrown: unknown) => thrown,
  )
  if (!HoldpointError.is(error)) throw new Error('This should have been refused clearly', { cause: error })
  return error.code
}

const anything = (value: unknown): never => value as never
const BAD_IDS = ['', 'x'.repeat(201), 'a\nb', 'a\u0000b', '\u007f', '\ud800', 5, null, {}, ['c'], Symbol('c'), true]

test.each(BAD_IDS)(
  proves(
    'bad-input.nothing-half-written',
    'an id that is %s is refused by every request, and nothing is written or read',
  ),
  async (id) => {
    const world = new World()
    const a = await desk(world)
    const c = anything(id)
    const requests: ((runtime: TheRuntime) => unknown)[] = [
      (runtime) => runtime.create({ id: c }),
      (runtime) => runtime.send(c, 'Hi'),
      (runtime) => runtime.submit(c, 'Hi'),
      (runtime) => runtime.continue(c),
      (runtime) => runtime.approve(c, 'x'),
      (runtime) => runtime.cancel(c),
      (runtime) => runtime.events(c),
      (runtime) => runtime.subscribe(c),
      (runtime) => runtime.send('c', 'Hi', { key: c }),
    ]
    const before = timesAsked(a, 'load')

    for (const request of requests) expect(await refusal(() => request(a.runtime))).toBe('config-invalid')

    expect(timesAsked(a, 'load')).toBe(before)
    expect((await a.runtime.list()).items).toEqual([])
    expect(writesOf(a)).toEqual([])
  },
)

test.each(BAD_IDS.filter((id) => id !== ''))('a tenant that is %s is refused', async (tenant) => {
  const a = await desk(new World())
  expect(await refusal(() => a.runtime.tenant(anything(tenant)))).toBe('config-invalid')
})

test('strings that are special to other programs are only strings here', async () => {
  const world = new World()
  const a = await desk(world)
  const b = await desk(world)
  const hostile = [
    '__proto__',
    'constructor',
    'toString',
    "x'; drop table events; --",
    '%',
    '../../etc',
    'ключ 🔑',
    'caf\u00e9',
    'cafe\u0301',
  ]
  for (const id of hostile) expect(await a.runtime.send(id, id, { by: id, key: id })).toMatchObject({ status: 'held' })

  expect((await b.runtime.list()).items.map((each) => each.id)).toEqual(hostile.toReversed())
  for (const id of hostile) {
    expect((await b.runtime.pending({ conversationId: id })).items).toHaveLength(1)
    expect(await b.runtime.approve(id, '__proto__')).toMatchObject({ verdict: 'unknown' })
    expect(await b.runtime.approve(id, await heldId(b, 'pay', id))).toMatchObject({ verdict: 'accepted' })
    expect(await b.runtime.tenant(id).events(id)).toEqual([])
  }
})

test.each([0, -1, 1.5, 1001, Number.NaN, Infinity, '5', null, {}])('a limit of %s is refused', async (limit) => {
  const a = await desk(new World())
  expect(await refusal(() => a.runtime.pending({ limit: anything(limit) }))).toBe('config-invalid')
  expect(await refusal(() => a.runtime.list({ limit: anything(limit) }))).toBe('config-invalid')
  expect(await refusal(() => a.runtime.events('c', 0, anything(limit)))).toBe('config-invalid')
})

test.each([-1, 1.5, Number.NaN, Infinity, 2 ** 60, '3', null, {}])('a seq of %s is refused', async (seq) => {
  const a = await desk(new World())
  expect(await refusal(() => a.runtime.events('c', anything(seq)))).toBe('config-invalid')
  expect(await refusal(() => a.runtime.subscribe('c', { after: anything(seq) }))).toBe('config-invalid')
})

test.each(['garbage', '', '5', 'null', '{}', '[]', '["a"]', '[1,2,3]', '[null,null,null]', 5, null, {}])(
  'a place in the pages that no page gave (%s) is refused',
  async (after) => {
    const a = await desk(new World())
    await a.runtime.send('c', 'Hi')
    expect(await refusal(() => a.runtime.pending({ after: anything(after) }))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.list({ after: anything(after) }))).toBe('config-invalid')
  },
)

test.each([
  { kind: 'nonsense' },
  { kind: 5 },
  { tool: 5 },
  { agent: {} },
  { conversationId: ['c'] },
  { expiresBefore: 'tomorrow' },
  { expiresBefore: Number.NaN },
  null,
  'c',
])('a filter that makes no sense (%j) is refused, and never answered with everything', async (filter) => {
  const a = await desk(new World())
  await a.runtime.send('c', 'Hi')
  expect(await refusal(() => a.runtime.pending(anything(filter)))).toBe('config-invalid')
})

test.each([{ conversation: 'c' }, { limit: 5, Tool: 'pay' }, { status: 'held' }])(
  'a filter with a name that there is not (%j) is refused with those that there are, and shows nothing',
  async (filter) => {
    const a = await desk(new World())
    await a.runtime.send('c', 'Hi')
    const names = 'It takes conversationId, callId, agent, tool, kind, expiresBefore, view, by, kinds, after, limit.'
    await expect(a.runtime.pending(anything(filter))).rejects.toThrow(names)
    await expect(a.runtime.list({ tool: 'pay' } as never)).rejects.toThrow(
      'It takes agent, participant, status, after, limit.',
    )
  },
)

test('an option with a name that there is not is refused by every request, and nothing is written', async () => {
  const world = new World()
  const a = await desk(world)
  await a.runtime.send('c', 'Hi')
  const before = await world.log()
  const id = await heldId(a, 'pay')
  const misspelt = anything({ wihleBusy: 'queue' })
  const requests: ((runtime: TheRuntime) => unknown)[] = [
    (runtime) => runtime.create(misspelt),
    (runtime) => runtime.send('c', 'Hi', misspelt),
    (runtime) => runtime.submit('c', 'Hi', misspelt),
    (runtime) => runtime.continue('c', misspelt),
    (runtime) => runtime.resolve('c', id, { kind: 'approve' }, misspelt),
    (runtime) => runtime.approve('c', id, misspelt),
    (runtime) => runtime.reject('c', id, 'no', misspelt),
    (runtime) => runtime.answer('c', id, 1, misspelt),
    (runtime) => runtime.fail('c', id, 'no', misspelt),
    (runtime) => runtime.view('c', misspelt),
    (runtime) => runtime.audit('c', misspelt),
    (runtime) => runtime.subscribe('c', misspelt),
  ]
  for (const request of requests)
    await expect((async () => request(a.runtime))()).rejects.toThrow('There is no option "wihleBusy" here. It takes')
  expect(await world.log()).toEqual(before)
})

test('a status that there is not is refused', async () => {
  const a = await desk(new World())
  expect(await refusal(() => a.runtime.list({ status: anything('asleep') }))).toBe('config-invalid')
})

test.each([undefined, null, '', [], 5, {}, [{}], [{ type: 'text' }], [{ type: 'file', mediaType: 'x' }], [null]])(
  'content that is %j is refused, and nothing is written',
  async (content) => {
    const world = new World()
    const a = await desk(world)
    expect(await refusal(() => a.runtime.send('c', anything(content)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.submit('c', anything(content)))).toBe('config-invalid')
    expect(await world.log()).toEqual([])
  },
)

test.each([null, 5, 'by me', { by: 5 }, { maxSteps: 0 }, { whileBusy: 'wait' }, { signal: 5 }, { key: {} }])(
  'options that are %j are refused, and nothing is written',
  async (options) => {
    const world = new World()
    const a = await desk(world)
    expect(await refusal(() => a.runtime.send('c', 'Hi', anything(options)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.submit('c', 'Hi', anything(options)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.continue('c', anything(options)))).toBe('config-invalid')
    expect(await world.log()).toEqual([])
  },
)

test('options of the other requests that make no sense are refused', async () => {
  const world = new World()
  const a = await desk(world)
  await a.runtime.send('c', 'Hi')
  const before = await world.log()
  const id = await heldId(a, 'pay')

  for (const options of [null, 5]) {
    expect(await refusal(() => a.runtime.create(anything(options)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.approve('c', id, anything(options)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.reject('c', id, 'no', anything(options)))).toBe('config-invalid')
    expect(await refusal(() => a.runtime.subscribe('c', anything(options)))).toBe('config-invalid')
  }
  expect(await refusal(() => a.runtime.create({ id: 'd', by: anything(5) }))).toBe('config-invalid')
  expect(await refusal(() => a.runtime.subscribe('c', { signal: anything(5) }))).toBe('config-invalid')
  expect(await refusal(() => a.runtime.cancel('c', anything(5)))).toBe('config-invalid')
  expect(await world.log()).toEqual(before)
})

test.each([
  undefined,
  null,
  'yes',
  {},
  { kind: 'maybe' },
  { kind: 'approve', input: () => 1 },
  { kind: 'reject', reason: 5 },
  { kind: 'answer' },
  { kind: 'answer', value: 1, error: 'x' },
])('a resolution that is %j is told to be invalid, and nothing changes', async (resolution) => {
  const world = new World()
  const a = await desk(world)
  await a.runtime.send('c', 'Hi')
  const before = await world.log()
  const id = await heldId(a, 'pay')

  expect(await a.runtime.resolve('c', id, anything(resolution))).toMatchObject({ verdict: 'invalid' })
  expect(await a.runtime.approve('c', id, { by: anything(5) })).toMatchObject({ verdict: 'invalid' })
  expect(await a.runtime.approve('c', id, { hold: anything('first') })).toMatchObject({ verdict: 'invalid' })
  expect(await a.runtime.approve('c', anything(5))).toMatchObject({ verdict: 'unknown' })
  expect(await world.log()).toEqual(before)
})

test('requests about a conversation that does not exist say so, create nothing and keep nothing in memory', async () => {
  const world = new World()
  const a = await world.process('a', { agents: ['one', 'two'] })

  for (let n = 0; n < 3; n++) {
    expect(await a.runtime.approve('nope', 'x')).toMatchObject({ verdict: 'unknown' })
    expect(await a.runtime.cancel('nope')).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
    expect(await a.runtime.continue('nope')).toMatchObject({ status: 'refused', reason: 'nothing-to-continue' })
    expect(await a.runtime.events('nope')).toEqual([])
    expect((await a.runtime.pending({ conversationId: 'nope' })).items).toEqual([])
  }

  // Each of them had to ask: nothing was kept.
  expect(timesAsked(a, 'load')).toBe(9)
  expect((await a.runtime.list()).items).toEqual([])
})

test('a runtime without agents, or with two of one name, is refused', async () => {
  const world = new World()
  const options = {
    store: await world.store,
    ports: anything({ id: () => 'x', monotonic: () => 0, sleep: async () => {} }),
  }
  expect(await refusal(() => Runtime.open({ ...options, agents: [] }))).toBe('config-invalid')
  expect(await refusal(() => world.process('a', { agents: ['one', 'one'] }))).toBe('config-invalid')
})

test.each([
  [{ lookMs: Number.NaN }, '"lookMs" must be a number of milliseconds above 0, not NaN.'],
  [{ lookMs: 0 }, '"lookMs" must be a number of milliseconds above 0, not 0.'],
  [{ leaseMs: 0 }, '"leaseMs" must be a number of milliseconds above 0, not 0.'],
  [{ leaseMs: -1 }, '"leaseMs" must be'],
  [{ leaseMs: '15s' }, '"leaseMs" must be a number of milliseconds above 0, not "15s".'],
  [{ leaseMs: Infinity }, '"leaseMs" must be'],
  [{ keepIdle: 1.5 }, '"keepIdle" must be a whole number from 0, not 1.5.'],
  [{ idleMs: -1 }, '"idleMs" must be a number of milliseconds from 0, not -1.'],
  [{ graceMs: Number.NaN }, '"graceMs" must be'],
  [{ drive: 'no' }, '"drive" must be true or false, not "no".'],
  [{ onProblem: 'log' }, '"onProblem" must be a function'],
  [{ leaseMS: 5 }, 'there is no setting "leaseMS". It takes store, agents, agentFor,'],
  [{ store: undefined }, 'A runtime needs "store": a store, as sqliteStore() makes it.'],
  [{ store: { secret: 1 } }, '"store" must be a store, as sqliteStore() makes it, not this object.'],
  [{ agents: undefined }, 'A runtime needs "agents"'],
  [{ agents: {} }, '"agents" must be a list of at least one agent'],
  [{ agents: ['desk'] }, '"agents" must be a list of at least one agent'],
])('a runtime is not opened with %j, and nothing is asked of its store', async (settings, why) => {
  const world = new World()
  const a = await desk(world)
  const store = anything(new Proxy(await world.store, { get: askedOnly }))
  const ports = anything({ id: () => 'x', monotonic: () => 0, sleep: async () => {} })
  const agents = [agent({ name: 'desk', model: a.model })]
  await expect(Runtime.open(anything({ store, ports, agents, ...(settings as object) }))).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(why),
  })
})

/** A store that can be looked at, and breaks when it is used. */
function askedOnly(): unknown {
  return () => {
    throw new Error('The store was asked.')
  }
}

test.each([undefined, null, 5, []])('a runtime is not opened with %j instead of settings', async (options) => {
  await expect(Runtime.open(anything(options))).rejects.toThrow('takes an object: { store, agents, ports }.')
})

test('after the bad comes the good: the conversation is unharmed', async () => {
  const world = new World()
  const a = await desk(world)
  await a.runtime.send('c', 'Hi')
  for (const bad of [null, 5, {}]) {
    await refusal(() => a.runtime.send('c', anything(bad)))
    await a.runtime.resolve('c', await heldId(a, 'pay'), anything(bad))
  }
  await a.runtime.approve('c', await heldId(a, 'pay'))
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done' })
  expect(types(await world.log())).toHaveLength(7)
})
