import { proves } from '@holdpoint/testing'
import { tool, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  calls,
  count,
  expectSound,
  gated,
  heldId,
  LEASE,
  noting,
  outcomes,
  slow,
  types,
  World,
  type Process,
  type Setup,
} from '../../../../test/kit/runtime-kit.ts'
import { diesAfter, diesBefore, type Around } from '../../../../test/kit/mortal.ts'

const says = [calls('work'), 'Done.']

/** A process that dies as told in the middle of `Work`, and one beside it that was there all along. */
async function dying(dies: Around, setup: Setup, beside: Setup = setup): Promise<[World, Process, Process]> {
  const world = new World()
  const a = await world.process('a', { ...setup, ...dies })
  const b = await world.process('b', beside)
  void a.runtime.submit('c', 'Work')
  await world.calm()
  return [world, a, b]
}

/** No process touches it before the lease is over; then it continues automatically. */
async function overAfterLease(world: World): Promise<readonly string[]> {
  const before = await world.log()
  await world.pass(LEASE - 1000)
  expect(await world.log(), 'no process takes over before the lease is over').toEqual(before)
  await world.pass(3000)
  return types(await world.log())
}

test(
  proves(
    'drive.takeover-after-lease',
    'killed while the model speaks: another asks the model again, after the lease and not before',
  ),
  async () => {
    const world = new World()
    const a: Process = await world.process('a', { says: [() => (a.kill(), 'never heard')] })
    const b = await world.process('b', { says: ['Done.'] })
    void a.runtime.submit('c', 'Hi')
    await world.calm()

    expect(await overAfterLease(world)).toEqual(['turn.started', 'model.replied'])

    expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 1])
    expect(await b.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Done.' })
  },
)

test(
  proves(
    'call.same-id-on-retry',
    'killed while a tool runs, which may be tried again: it runs again under the same id',
  ),
  async () => {
    const work = slow('work')
    const [world, a, b] = await dying({}, { says, tools: [work.tool] })
    a.kill()

    await overAfterLease(world)
    work.release()
    await world.calm()

    expect(work.started).toEqual(['a-2.1.1', 'a-2.1.1'])
    expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'work done' } })
    expectSound(await world.log(), a, b)
  },
)

test('killed while a tool runs that may not be retried: the model reads that the outcome is unknown', async () => {
  const work = slow('work', { onLost: 'fail' })
  const [world, a, b] = await dying({}, { says, tools: [work.tool] })
  a.kill()

  await overAfterLease(world)

  expect(work.started).toHaveLength(1)
  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: false, error: { code: 'lost' } } })
  expectSound(await world.log(), a, b)
})

test('killed while a tool runs, about which a person is to be asked: it waits for that person, and runs when told', async () => {
  const ran: string[] = []
  const [world, a, b] = await dying(diesAfter('call.started'), {
    says,
    tools: [noting(ran, 'work', { onLost: 'ask' })],
  })

  await overAfterLease(world)
  expect((await b.runtime.pending()).items).toMatchObject([{ cause: 'lost', name: 'work' }])
  expect(ran).toEqual([])
  await b.runtime.approve('c', await heldId(b, 'work'))
  await world.calm()

  expect(ran).toEqual(['work a-2.1.1'])
  expectSound(await world.log(), a, b)
})

test.each([
  { found: { happened: true, result: 'found' }, runs: 0, value: 'found' },
  { found: { happened: false }, runs: 1, value: 'work done' },
] as const)(
  'killed while a tool runs that can be looked up: found $found, it runs $runs more times',
  async ({ found, runs, value }) => {
    const ran: string[] = []
    const [world, a, b] = await dying(diesAfter('call.started'), {
      says,
      tools: [noting(ran, 'work', { onLost: () => found })],
    })

    await overAfterLease(world)

    expect(ran).toHaveLength(runs)
    expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value } })
    expectSound(await world.log(), a, b)
  },
)

test('killed after a tool was begun and before it ran: it runs once, elsewhere', async () => {
  const ran: string[] = []
  const [world, a, b] = await dying(diesAfter('call.started'), { says, tools: [noting(ran, 'work')] })

  expect(await overAfterLease(world)).toContain('model.replied')

  expect(ran).toEqual(['work a-2.1.1'])
  expectSound(await world.log(), a, b)
})

test(
  proves(
    'call.never-after-outcome',
    'killed after the result was written: the tool does not run again, and the turn goes on',
  ),
  async () => {
    const ran: string[] = []
    const [world, a, b] = await dying(diesAfter('call.settled'), { says, tools: [noting(ran, 'work')] })

    await overAfterLease(world)

    expect(ran).toHaveLength(1)
    expect(types(await world.log()).slice(-2)).toEqual(['call.settled', 'model.replied'])
    expectSound(await world.log(), a, b)
  },
)

test('killed before the reply of the model was written: the model is asked again, and what it had called never runs', async () => {
  const ran: string[] = []
  const [world, a, b] = await dying(diesBefore('model.replied'), { says, tools: [noting(ran, 'work')] })

  await overAfterLease(world)

  expect(ran).toHaveLength(1)
  expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 2])
})

test(
  proves(
    'answer.never-lost',
    'killed right after an answer was acknowledged: the answer holds, and the call runs once, elsewhere',
  ),
  async () => {
    const ran: string[] = []
    const setup = { says, tools: [noting(ran, 'work', gated)] }
    const [world, a, b] = await dying({}, setup)
    expect(await a.runtime.approve('c', await heldId(a, 'work'), { by: 'boss' })).toMatchObject({ verdict: 'accepted' })
    a.kill()

    expect(await overAfterLease(world)).toContain('call.settled')

    expect(ran).toEqual(['work a-2.1.1'])
    expect(await b.runtime.reject('c', 'a-2.1.1')).toMatchObject({ verdict: 'conflict', first: { by: 'boss' } })
    expectSound(await world.log(), a, b)
  },
)

test('killed before the answer was written: no caller was told that it was accepted, and it can be given again', async () => {
  const ran: string[] = []
  const setup = { says, tools: [noting(ran, 'work', gated)] }
  const [world, a, b] = await dying(diesBefore('call.approved'), setup)
  let told = false
  void a.runtime.approve('c', 'a-2.1.1').then(() => (told = true))
  await world.calm()

  expect(await b.runtime.approve('c', 'a-2.1.1')).toMatchObject({ verdict: 'accepted' })
  await world.calm()

  expect(told).toBe(false)
  expect(ran).toHaveLength(1)
  expectSound(await world.log(), a, b)
})

test('a process that opens when everybody is dead goes on with what they left, with no call to make', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says, tools: [noting(ran, 'work')] }
  const a = await world.process('a', { ...setup, ...diesAfter('call.started') })
  await a.runtime.submit('c', 'Work')
  await world.pass(60_000)

  const b = await world.process('b', setup)
  await world.calm()

  expect(types(await world.log()).at(-1)).toBe('model.replied')
  expect(ran).toHaveLength(1)
  expect(b.problems).toEqual([])
})

test('a process that was only slow finds its conversation taken, writes nothing, and its sender sees how it went on', async () => {
  const world = new World()
  const work = slow('work')
  let stuck = false
  const a = await world.process('a', {
    says,
    tools: [work.tool],
    before: (question) => {
      if (stuck && question === 'beat') throw new Error('It cannot say that it lives.')
    },
  })
  const b = await world.process('b', { says, tools: [work.tool] })
  const sending = a.runtime.send('c', 'Work')
  await world.until(() => work.started.length === 1)
  stuck = true
  await world.pass(LEASE + 6000)
  await world.until(() => work.started.length === 2)

  work.release('the same for both')

  expect(await world.soon(sending)).toMatchObject({ status: 'done', text: 'Done.' })
  const log = await world.log()
  expect(count(log, 'call.settled')).toBe(1)
  expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 1])
  expectSound(log, a, b)
})

test('a call that takes its process down every time is given to a person in the end', async () => {
  const world = new World()
  const lives: Process[] = []
  const bomb = (): Tool =>
    tool({
      name: 'work',
      description: 'Work',
      input: z.object({}),
      run: () => (lives.at(-1)?.kill(), new Promise<string>(() => {})),
    })
  for (let n = 0; n < 8; n++) {
    lives.push(await world.process(`p${n}`, { says, tools: [bomb()] }))
    if (n === 0) await lives[0]!.runtime.submit('c', 'Work')
    await world.pass(LEASE + 2000)
  }

  const log = await world.log()
  expect(count(log, 'call.started')).toBe(5)
  expect(log.at(-1)).toMatchObject({ type: 'call.held', hold: { cause: 'lost' } })
})
