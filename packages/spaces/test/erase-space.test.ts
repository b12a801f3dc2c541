/** Erasing a space: who may, what remains of it, and what its agents and readers get. */
import type { LogEvent, Member, Principal } from '@holdpoint/core'
import { emptySpaceView, spaceMachine } from '@holdpoint/spaces'
import { expect, test } from 'vitest'
import { places } from '../../../test/kit/places.ts'
import { slow, types, World, type Process } from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const ben: Member = { kind: 'human', id: 'ben' }
const desk: Member = { kind: 'agent', id: 'desk' }
const person = (id: string): Principal => ({ id, kind: 'person', access: 'own' })

async function trip({ runtime }: Process): Promise<void> {
  const members = [{ member: desk }, { member: ben }]
  await runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, members, key: 'k' })
}

test.for(Object.entries(places))('an erased space refuses every later command, with %s', async ([, place]) => {
  const world = new World(place())
  const one = await world.process('one', { says: ['Done.'] })
  await trip(one)
  await one.runtime.spaces.post('trip', 'The secret.', { from: ada, key: 'p' })
  await world.calm()
  const { length } = await world.log('trip')

  const seq = length + 1
  expect(await one.runtime.spaces.erase('trip', { by: 'operator', reason: 'request 12' })).toEqual({ ok: true, seq })
  const erased = { by: 'operator', reason: 'request 12', at: world.clock.now() }
  const two = await world.process('two')
  for (const { spaces } of [one.runtime, two.runtime]) {
    expect(await spaces.view('trip')).toEqual({ ...emptySpaceView, seq, erased })
    expect(await spaces.erasure('trip')).toEqual(erased)
    expect(await spaces.roleOf('trip', ada)).toBeUndefined()
    expect((await spaces.list()).items).toEqual([])
    const refused = { ok: false, refusal: 'erased' }
    expect(await spaces.post('trip', 'Hello?', { from: ada, key: 'p' })).toMatchObject(refused)
    expect(await spaces.join('trip', ben)).toMatchObject(refused)
    expect(await spaces.leave('trip', ben)).toMatchObject(refused)
    expect(await spaces.read('trip', ada, 2)).toMatchObject(refused)
    expect(await spaces.create({ id: 'trip', name: 'Trip', key: 'k' })).toMatchObject(refused)
    expect(await spaces.erase('trip', { by: 'eve' })).toEqual({ ok: true, seq })
  }
  expect(await world.log('trip')).toMatchObject([{ type: 'space.erased', seq, ...erased }])
})

test('an owner erases a space; a member, a stranger and a conversation by that id do not', async () => {
  const world = new World()
  const one = await world.process('one', { says: ['Done.'] })
  const { spaces } = one.runtime
  await trip(one)
  await world.soon(one.runtime.send('c', 'Go'))
  expect(await spaces.erase('trip', { by: person('ben') })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  expect(await spaces.erase('trip', { by: person('cy') })).toMatchObject({ ok: false, refusal: 'not-a-member' })
  for (const id of ['nowhere', 'c'])
    expect(await spaces.erase(id)).toMatchObject({ ok: false, refusal: 'space-missing' })
  await expect(spaces.erase('trip', { reason: 'x'.repeat(1001) })).rejects.toThrow('at most 1000 characters')
  expect(await spaces.erase('trip', { by: person('ada') })).toMatchObject({ ok: true })
})

test('an agent that works in a space that is erased cannot post there, and ends its cycle', async () => {
  const world = new World()
  const work = slow('work', { visible: true })
  const send = { calls: [{ name: 'send_message', input: { text: 'The secret.' } }] }
  const one = await world.process('one', { says: [{ calls: [{ name: 'work' }] }, send, 'Done.'], tools: [work.tool] })
  await trip(one)
  await one.runtime.spaces.post('trip', 'Go', { from: ada })
  await world.until(() => work.started.length === 1)
  expect(await one.runtime.spaces.erase('trip')).toMatchObject({ ok: true })
  work.release()
  await world.until(async () => types(await world.log('agent:desk')).includes('turn.ended') || (await asleep(one)))
  await world.pass(2000)

  expect(types(await world.log('trip'))).toEqual(['space.erased'])
  expect(await one.runtime.agents.view('desk')).toMatchObject({ status: 'asleep', inbox: [] })
  expect(one.problems).toEqual([])
})

async function asleep({ runtime }: Process): Promise<boolean> {
  return (await runtime.agents.view('desk')).status === 'asleep'
}

test('a reader who follows the space gets the tombstone, from any seq, and then nothing', async () => {
  const world = new World()
  const one = await world.process('one', { agents: ['other'] })
  await trip(one)
  const seen: string[] = []
  const stop = new AbortController()
  const follow = async (after: number): Promise<void> => {
    for await (const item of one.runtime.subscribe('trip', { after, signal: stop.signal }))
      if ('seq' in item) seen.push(`${item.seq} ${item.type}`)
  }
  const live = follow(3)
  await world.until(() => seen.length === 1)
  await one.runtime.spaces.erase('trip')
  await world.until(() => seen.length === 2)
  const late = follow(0)
  await world.until(() => seen.length === 3)
  await world.pass(2000)
  stop.abort()
  await Promise.all([live, late])
  expect(seen).toEqual(['4 member.joined', '5 space.erased', '5 space.erased'])
})

test('the tombstone follows any event of a space, nothing follows it, and its stored state is the same', () => {
  const opened: LogEvent = { type: 'space.opened', name: 'Trip', agentMessages: 2, seq: 1, at: 1 }
  const erased: LogEvent = { type: 'space.erased', by: 'ada', seq: 9, at: 3 }
  const { empty, evolve, derive, fromBase } = spaceMachine
  const tombstone = { seq: 9, space: undefined, outbox: [], erased: { by: 'ada', at: 3 } }
  const before = evolve(empty, opened)
  for (const state of [empty, before]) expect(evolve(state, erased)).toEqual(tombstone)
  for (const event of [
    { ...opened, seq: 10 },
    { ...erased, seq: 10 },
  ])
    expect(() => evolve(tombstone, event)).toThrow('the space was erased')
  const rows = derive(before, tombstone, [erased], [])
  expect(rows).toMatchObject({ hidden: true, status: 'idle' })
  expect(fromBase(9, JSON.parse(JSON.stringify(rows.base)))).toEqual(tombstone)
})
