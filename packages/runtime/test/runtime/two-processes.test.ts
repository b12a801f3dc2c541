import { proves } from '@holdpoint/testing'
import type { ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  slow,
  timesAsked,
  types,
  World,
  writesOf,
} from '../../../../test/kit/runtime-kit.ts'
import { places, repeatTurn } from '../../../../test/kit/places.ts'

test(
  proves(
    'drive.one-process',
    'the process that starts an idle conversation owns it, and no other process does anything there',
  ),
  async () => {
    const world = new World()
    const ran: string[] = []
    const setup = { says: [calls('work')], tools: [noting(ran, 'work')] }
    const a = await world.process('a', setup)
    const b = await world.process('b', setup)

    await a.runtime.send('c', 'One')
    await world.pass(3000)
    expect([a.model.requests.length, b.model.requests.length]).toEqual([2, 0])
    await b.runtime.send('c', 'Two')
    await world.pass(3000)

    expect([a.model.requests.length, b.model.requests.length]).toEqual([2, 2])
    expect(ran).toHaveLength(2)
    expectSound(await world.log(), a, b)
  },
)

test.each([{ deaf: false }, { deaf: true }])(
  'a message to a conversation that another process drives waits there, and its sender sees the result through the store (%j)',
  async ({ deaf }) => {
    const world = new World()
    const work = slow('work')
    const setup = { says: [calls('work'), 'Done.'], tools: [work.tool] }
    const a = await world.process('a', setup)
    const b = await world.process('b', { ...setup, deaf })
    const first = a.runtime.send('c', 'One')
    await world.until(() => work.started.length === 1)

    const waiting = b.runtime.continue('c')
    const second = b.runtime.send('c', 'Two', { whileBusy: 'queue', by: 'bob' })
    await world.calm()
    work.release()
    await world.until(() => work.started.length === 2)
    work.release()

    for (const result of [first, waiting, second]) expect(await world.soon(result)).toMatchObject({ text: 'Done.' })
    expect(b.model.requests).toHaveLength(0)
    expect(writesOf(b).flatMap(({ events }) => types(events))).toEqual(['message.queued'])
    expectSound(await world.log(), a, b)
  },
)

test.each(['here', 'elsewhere'])(
  'the sender of a queued message gets the result of its own turn (driven %s), though others follow',
  async (where) => {
    const world = new World()
    const work = slow('work')
    const says = [calls('work'), ({ prompt }: ModelRequest) => `Done: ${lastText(prompt)}`]
    const a = await world.process('a', { says, tools: [work.tool] })
    const b = where === 'here' ? a : await world.process('b', { says, tools: [work.tool] })
    const first = a.runtime.send('c', 'One')
    await world.until(() => work.started.length === 1)
    const second = b.runtime.send('c', 'Two', { whileBusy: 'queue' })
    await world.calm()
    work.release()
    await world.until(() => work.started.length === 2)
    const third = b.runtime.send('c', 'Three', { whileBusy: 'queue' })
    await world.calm()
    work.release()
    await world.until(() => work.started.length === 3)

    // Its own turn is over, so it need not wait for what came after.
    expect(await world.soon(first)).toMatchObject({ text: 'Done: One' })
    expect(await world.soon(second)).toMatchObject({ status: 'done', text: 'Done: Two' })
    work.release()
    expect(await world.soon(third)).toMatchObject({ status: 'done', text: 'Done: Three' })
  },
)

function lastText(prompt: ModelRequest['prompt']): string {
  const said = prompt.findLast(({ role }) => role === 'user')
  return /"text":"(\w+)"/.exec(JSON.stringify(said))?.[1] ?? ''
}

test('a message that takes the place of another process’s turn stops the work there', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const b = await world.process('b', { says: ['At once.'], tools: [work.tool] })
  const first = a.runtime.send('c', 'One')
  await world.until(() => work.started.length === 1)

  const second = b.runtime.send('c', 'Two', { whileBusy: 'supersede' })
  await world.calm()

  expect(work.aborted).toEqual(['a-2.1.1'])
  expect(await world.soon(first)).toMatchObject({ status: 'stopped', reason: 'superseded' })
  await world.calm()
  work.release()
  expect(await world.soon(second)).toMatchObject({ status: 'done' })
  const log = await world.log()
  expect(count(log, 'turn.started')).toBe(2)
  expectSound(log, a, b)
})

test('two processes that send at the same moment: one begins a turn, the other is refused, and nothing is half-done', async () => {
  const world = new World()
  const work = slow('work')
  const setup = { says: [calls('work')], tools: [work.tool] }
  const [a, b] = [await world.process('a', setup), await world.process('b', setup)]

  const sending = [a.runtime.send('c', 'One'), b.runtime.send('c', 'Two')]
  await world.until(() => work.started.length === 1)
  work.release()
  const results = await Promise.all(sending)

  expect(results.map(({ status }) => status).toSorted()).toEqual(['done', 'refused'])
  expect(count(await world.log(), 'turn.started')).toBe(1)
  expectSound(await world.log(), a, b)
})

test('a process that does not drive takes messages and answers, and leaves the work to others', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says: [calls('pay'), 'Paid.'], tools: [noting(ran, 'pay', gated)] }
  const front = await world.process('front', { ...setup, drive: false })
  await front.runtime.submit('c', 'Pay')
  await world.pass(60_000)
  expect(types(await world.log())).toEqual(['turn.started'])

  const back = await world.process('back', setup)
  expect(await world.soon(front.runtime.continue('c'))).toMatchObject({ status: 'held' })
  await front.runtime.approve('c', await heldId(front, 'pay'))
  expect(await world.soon(front.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Paid.' })

  expect(front.model.requests).toHaveLength(0)
  expect(ran).toHaveLength(1)
  expect(back.model.requests).toHaveLength(2)
  expectSound(await world.log(), front, back)
})

test('an answer through a process that does not drive is not left to a process that drove last and rests', async () => {
  const world = new World()
  const setup = { says: [calls('ask'), 'Thanks.'], tools: [asking('ask', 'human')] }
  const back = await world.process('back', { ...setup, deaf: true, idleMs: 1000 })
  await back.runtime.send('c', 'Ask')
  await world.pass(5000)
  const front = await world.process('front', { ...setup, drive: false })

  await front.runtime.answer('c', await heldId(front, 'ask'), 'L')

  expect(await world.soon(front.runtime.continue('c'))).toMatchObject({ text: 'Thanks.' })
})

test.each(Object.entries(places))(
  'what a process that does not drive is told is worked on at once, and not when the others look next (%s)',
  async (_name, place) => {
    const world = new World(place())
    const setup = { says: [calls('pay'), 'Paid.'], tools: [noting([], 'pay', gated)] }
    await world.process('back', { ...setup, lookMs: 60_000 })
    const front = await world.process('front', { ...setup, drive: false })
    await world.pass(250)

    expect(await soonTold(world, front.runtime.send('c', 'Pay'))).toMatchObject({ status: 'held' })
    await front.runtime.approve('c', await heldId(front, 'pay'))
    expect(await soonTold(world, front.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Paid.' })
  },
)

/** In a few seconds by the clock of the test, and as long as notifications take by the real one. */
async function soonTold<T>(world: World, work: Promise<T>): Promise<T> {
  for (let passed = 0; passed < 20; passed++) {
    const over = await Promise.race([work.then(() => true), new Promise((resolve) => setTimeout(resolve, 60))])
    if (over === true) return work
    await world.pass(250)
  }
  throw new Error('This was not done in 5 seconds.')
}

test('a burst of work left to others costs each of them a few looks, also those that cannot help', async () => {
  const world = new World()
  const back = await world.process('back', { says: ['Hi.'] })
  const stranger = await world.process('stranger', { agents: ['sales'] })
  const front = await world.process('front', { drive: false })
  await world.pass(250)
  const before = [back, stranger].map((each) => timesAsked(each, 'due'))

  await Promise.all(Array.from({ length: 80 }, (_, n) => front.runtime.submit(`c${n}`, 'Hi')))
  await world.pass(250)

  for (const [index, each] of [back, stranger].entries()) {
    expect(timesAsked(each, 'due') - before[index]!).toBeLessThan(5)
    expect(each.problems).toEqual([])
  }
  expect(back.model.requests).toHaveLength(80)
})

test('many processes that do not drive, and work without an owner, cost no more than an occasional poll', async () => {
  const world = new World()
  const front = await world.process('front', { drive: false })
  for (let n = 0; n < 120; n++) await front.runtime.submit(`c${n}`, 'Hi')
  let looks = 0
  await world.process('other', {
    drive: false,
    before: (question) => {
      if (question === 'due' && ++looks > 100) throw new Error('It looks and looks.')
    },
  })

  await world.pass(5000)

  expect(looks).toBeLessThan(10)
})

test('a burst of writes elsewhere costs a process that follows along a few reads, not one for each', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  await a.runtime.send('c', 'Hello')
  const before = timesAsked(a, 'follow', 'c')

  await repeatTurn(await world.store, 'c', 300)
  await world.calm()

  expect(timesAsked(a, 'follow', 'c') - before).toBeLessThan(10)
  expect(await a.runtime.send('c', 'Still there?')).toMatchObject({ status: 'done' })
  expect(await world.log()).toHaveLength(604)
})
