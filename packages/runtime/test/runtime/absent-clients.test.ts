import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  outcomes,
  slow,
  timesAsked,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'
import { places } from '../../../../test/kit/places.ts'

const says = [calls('photo'), 'Well.']
const photo = (more: object = {}) => asking('photo', 'client', { timeout: '1h', grace: '5s', ...more })
const setup = { says, tools: [photo()] }
const absent = {
  ok: false,
  error: { code: 'no-client', message: 'No client that can run photo was connected for 5 s.' },
}
const settled = async (world: World): Promise<number> => count(await world.log(), 'call.settled')

test.each(Object.entries(places))(
  'a call that no client is there for fails when its grace is over, and the model goes on: in %s',
  async (_name, place) => {
    const world = new World(place())
    const a = await world.process('a', { ...setup, lookMs: 600_000 })
    await a.runtime.send('c', 'Smile')

    await world.pass(4750)
    expect(await settled(world)).toBe(0)
    await world.pass(250)

    expect(Object.values(outcomes(await world.log()))).toEqual([absent])
    expect(types(await world.log()).at(-1)).toBe('model.replied')
    expectSound(await world.log(), a)
  },
)

test('a client tool that says nothing of a grace fails within 5 s when no client is connected', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [asking('photo', 'client')] })
  await a.runtime.send('c', 'Smile')
  await world.pass(5000)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
})

test.each(Object.entries(places))(
  'a call waits for a client that connects in time, on any node, until the deadline: in %s',
  async (_name, place) => {
    const world = new World(place())
    const a = await world.process('a', setup)
    const b = await world.process('b', { ...setup, drive: false })
    await a.runtime.send('c', 'Smile')
    await world.pass(4000)
    await b.runtime.attend('c', ['photo', 'print'])

    await world.pass(60_000)
    expect(await settled(world)).toBe(0)
    expect(await b.runtime.answer('c', await heldId(b, 'photo'), 'smiling')).toMatchObject({ verdict: 'accepted' })

    await world.calm()
    expect(Object.values(outcomes(await world.log()))).toEqual([{ ok: true, value: 'smiling' }])
    expectSound(await world.log(), a)
  },
)

test('a client that was there before the call was made counts', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  await a.runtime.attend('c', ['photo'])
  await a.runtime.send('c', 'Smile')
  await world.pass(60_000)
  expect(await settled(world)).toBe(0)
})

test('a client that cannot run the tool, or is of another conversation or tenant, is none', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  await a.runtime.send('c', 'Smile')
  await a.runtime.attend('c', ['print'])
  await a.runtime.attend('c2', ['photo'])
  await a.runtime.attend('c:', ['photo'])
  await a.runtime.tenant('acme').attend('c', ['photo'])
  await world.pass(6000)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
})

test('a client that disconnects has its grace from then on; the call still waits for one that reconnects in time', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  const leave = await a.runtime.attend('c', ['photo'])
  await a.runtime.send('c', 'Smile')
  await world.pass(60_000)
  await leave()
  await leave()
  await world.pass(4000)
  const leaveAgain = await a.runtime.attend('c', ['photo'])
  await world.pass(60_000)
  expect(await settled(world)).toBe(0)

  await leaveAgain()
  await world.pass(4000)
  expect(await settled(world)).toBe(0)
  await world.pass(1500)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
})

test('of two clients one may go', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  const leave = await a.runtime.attend('c', ['photo'])
  await a.runtime.attend('c', ['photo'])
  await a.runtime.send('c', 'Smile')
  await leave()
  await world.pass(60_000)
  expect(await settled(world)).toBe(0)
})

test(
  proves(
    'expiry.survives-kill',
    'the clients of a process that was killed are gone, and another one gives the call up',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', { ...setup, drive: false })
    const b = await world.process('b', setup)
    await a.runtime.attend('c', ['photo'])
    await a.runtime.submit('c', 'Smile')
    await world.pass(60_000)
    a.kill()
    await world.pass(15_000)
    expect(await settled(world)).toBe(0)
    await world.pass(15_000)
    expect(Object.values(outcomes(await world.log()))).toEqual([absent])
    expectSound(await world.log(), b)
  },
)

test('the next process keeps the grace, and gives the clients time to connect', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  await a.runtime.send('c', 'Smile')
  a.kill()
  await world.clock.advance(600_000)
  await world.process('b', setup)
  await world.pass(4000)
  expect(await settled(world)).toBe(0)
  await world.pass(1500)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
})

test('a runtime that closes takes its clients with it', async () => {
  const world = new World()
  const [a, b] = [await world.process('a', { ...setup, drive: false }), await world.process('b', setup)]
  await a.runtime.attend('c', ['photo'])
  await b.runtime.send('c', 'Smile')
  await world.pass(10_000)
  await world.soon(a.runtime.close())
  await world.pass(6000)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
  expect(b.problems).toEqual([])
})

test('the grace counts from when the call waits for the client, not from when it waits for an approval', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [photo({ ...gated, approvalTimeout: '1d' })] })
  await a.runtime.send('c', 'Smile')
  await world.pass(60_000)
  await a.runtime.approve('c', await heldId(a, 'photo'))
  await world.pass(4500)
  expect(await settled(world)).toBe(0)
  await world.pass(1000)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
})

test('an async call is given up too, and its agent is told', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [photo({ async: true })] })
  await a.runtime.send('c', 'Smile')
  await world.pass(6000)
  const arrived = (await world.log()).find(({ type }) => type === 'answer.arrived')
  expect(arrived).toMatchObject({ outcome: absent })
  expectSound(await world.log(), a)
})

test.each([
  { onExpire: 'reject', ends: { ok: false, error: { code: 'rejected' } }, last: 'model.replied' },
  { onExpire: { answer: 'none' }, ends: { ok: true, value: 'none' }, last: 'model.replied' },
  { onExpire: 'cancel', ends: { ok: false, error: { code: 'no-client' } }, last: 'turn.ended' },
])('what then is what the tool says of a call that expires: $onExpire', async ({ onExpire, ends, last }) => {
  const world = new World()
  const a = await world.process('a', { says, tools: [photo({ onExpire })] })
  await a.runtime.send('c', 'Smile')
  await world.pass(6000)
  expect(Object.values(outcomes(await world.log()))).toMatchObject([ends])
  expect(types(await world.log()).at(-1)).toBe(last)
})

test('an answer after the call was given up gets a verdict that says so, or goes to the inbox', async () => {
  for (const [late, verdict] of [
    ['reject', 'expired'],
    ['inbox', 'accepted'],
  ] as const) {
    const world = new World()
    const a = await world.process('a', { says, tools: [photo({ late })] })
    await a.runtime.send('c', 'Smile')
    const callId = await heldId(a, 'photo')
    await world.pass(6000)
    expect(await a.runtime.answer('c', callId, 'late')).toMatchObject({ verdict })
    expect(await settled(world)).toBe(1)
  }
})

test('a sibling that waits for another party keeps its own deadline while a client is connected', async () => {
  const world = new World()
  const tools = [photo(), asking('ask', 'human', { timeout: '33s' })]
  const a = await world.process('a', { says: [calls('photo', 'ask'), 'Well.'], tools, lookMs: 600_000 })
  await a.runtime.attend('c', ['photo'])
  await a.runtime.send('c', 'Smile')
  await world.pass(32_750)
  expect(await settled(world)).toBe(0)
  await world.pass(250)
  expect(Object.values(outcomes(await world.log()))).toMatchObject([{ error: { code: 'expired' } }])
})

test('a call is given up although a sibling of it runs all the while', async () => {
  const world = new World()
  const work = slow('work', { timeout: '1h' })
  const a = await world.process('a', { says: [calls('work', 'photo'), 'Well.'], tools: [work.tool, photo()] })
  await a.runtime.submit('c', 'Go')
  await world.pass(6000)
  expect(Object.values(outcomes(await world.log()))).toEqual([absent])
  work.release()
  await world.calm()
  expectSound(await world.log(), a)
})

test('waiting for a client that is there costs a question every few seconds, and no write', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  await a.runtime.attend('c', ['photo'])
  await a.runtime.send('c', 'Smile')
  await world.pass(10_000)
  const [asked, { length }] = [timesAsked(a, 'documents'), await world.log()]
  await world.pass(100_000)
  expect(timesAsked(a, 'documents') - asked).toBeLessThan(25)
  expect(await world.log()).toHaveLength(length)
  expect(a.problems).toEqual([])
})

test('a client that could not be told of is told of when the store is back', async () => {
  const world = new World()
  const tools = [photo({ grace: '10s' })]
  let away = false
  const before = (question: string): void => {
    if (away && question === 'put') throw new Error('The store is away.')
  }
  const a = await world.process('a', { says, tools, drive: false, before })
  const b = await world.process('b', { says, tools })
  await b.runtime.send('c', 'Smile')
  away = true
  await a.runtime.attend('c', ['photo'])
  expect(a.problems).toMatchObject([{ error: { message: 'The store is away.' }, conversation: { id: 'c' } }])
  away = false
  await world.pass(60_000)
  expect(await settled(world)).toBe(0)
})

test.each([[[]], ['photo'], [undefined], [['']], [['a b']], [[1]], [{ length: 1 }]])(
  'what is no list of tools is refused: %j',
  async (tools) => {
    const a = await new World().process('a', setup)
    await expect(a.runtime.attend('c', tools as never)).rejects.toMatchObject({ code: 'config-invalid' })
  },
)
