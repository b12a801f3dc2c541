/** An application hears of a hold in the process that wrote it, without asking for it again and again. */
import type { NewHold } from 'holdpoint'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  gated,
  heldId,
  LEASE,
  noting,
  slow,
  World,
  type Process,
  type Setup,
} from '../../../../test/kit/runtime-kit.ts'
import { diesAfter } from '../../../../test/kit/mortal.ts'
import { places } from '../../../../test/kit/places.ts'

const pay = () => noting([], 'pay', { approval: { required: true, reason: 'It is money.' } })
const setup = { says: [calls('pay'), 'Paid.'], tools: [pay()] }

/** A process, and the holds it was told of. */
async function listening(world: World, name: string, given: Setup): Promise<[Process, NewHold[]]> {
  const heard: NewHold[] = []
  const process = await world.process(name, { onHeld: (hold) => void heard.push(hold), ...given })
  return [process, heard]
}

const kinds = (heard: readonly NewHold[]) => heard.map(({ name, kind, nth }) => `${name} ${kind} ${nth}`)

test.each(Object.entries(places))('a hold is told once, as pending() has it: in %s', async (_name, place) => {
  const world = new World(place())
  const [a, heard] = await listening(world, 'a', setup)
  expect(await a.runtime.tenant('acme').send('c', 'Pay', { by: 'ada' })).toMatchObject({ status: 'held' })
  const { items } = await a.runtime.tenant('acme').pending()
  expect(heard).toEqual([{ tenant: 'acme', ...items[0] }])
  expect(heard).toMatchObject([{ name: 'pay', kind: 'approval', conversationId: 'c', reason: 'It is money.' }])

  await world.pass(5000)
  await a.runtime.tenant('acme').approve('c', heard[0]!.callId)
  await world.calm()
  expect(heard).toHaveLength(1)
})

test('every hold of a call is told: the yes it needs, and the service that carries it out', async () => {
  const world = new World()
  const ship = asking('ship', 'external', gated)
  const both = { says: [calls('ship', 'size'), 'Well.'], tools: [ship, asking('size', 'human')] }
  const [a, heard] = await listening(world, 'a', both)
  const [b, heardByB] = await listening(world, 'b', { ...both, drive: false })
  await a.runtime.send('c', 'Ship')
  expect(kinds(heard)).toEqual(['ship approval 1', 'size elicitation 1'])

  // The yes makes the second hold, so the process that took the yes is told.
  await b.runtime.approve('c', await heldId(b, 'ship'))
  await world.calm()
  expect(kinds(heardByB)).toEqual(['ship external 2'])
  expect(heard).toHaveLength(2)
})

test('a hold that is made after a crash is told by the process that took over', async () => {
  const world = new World()
  const work = slow('work', { onLost: 'ask' })
  const given = { says: [calls('work'), 'Done.'], tools: [work.tool] }
  const [a, heardByA] = await listening(world, 'a', given)
  void a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)
  a.kill()
  const [, heardByB] = await listening(world, 'b', given)
  await world.pass(LEASE + 2000)
  expect(heardByB).toMatchObject([{ name: 'work', kind: 'approval', cause: 'lost' }])
  expect(heardByA).toEqual([])
})

test('a process that died right after it wrote the hold called no onHeld: pending() has the hold', async () => {
  const world = new World()
  const [a, heardByA] = await listening(world, 'a', { ...setup, ...diesAfter('call.held') })
  void a.runtime.submit('c', 'Pay')
  await world.calm()
  const [b, heardByB] = await listening(world, 'b', setup)
  await world.pass(LEASE + 2000)
  expect([heardByA, heardByB]).toEqual([[], []])
  expect((await b.runtime.pending()).items).toMatchObject([{ name: 'pay' }])
})

test('an answer that the store did not confirm is told of when it is known to be written', async () => {
  const world = new World()
  const given = { says: [calls('ship'), 'Well.'], tools: [asking('ship', 'external', gated)] }
  let away = false
  const after: Setup['after'] = (question) =>
    away && question === 'append' ? { result: 'unknown', why: 'the line broke' } : undefined
  const [a, heard] = await listening(world, 'a', { ...given, after })
  await a.runtime.send('c', 'Ship')
  away = true
  await expect(world.soon(a.runtime.approve('c', await heldId(a, 'ship')))).rejects.toThrow('not known whether')
  expect(kinds(heard)).toEqual(['ship approval 1'])
  away = false
  await world.pass(5000)
  expect(kinds(heard)).toEqual(['ship approval 1', 'ship external 2'])
})

test('an application that fails when it is told is a problem, and changes nothing for the call', async () => {
  const failures: readonly NonNullable<Setup['onHeld']>[] = [
    () => {
      throw new Error('No chat today.')
    },
    async () => Promise.reject(new Error('No chat today.')),
  ]
  for (const onHeld of failures) {
    const world = new World()
    const a = await world.process('a', { ...setup, onHeld })
    expect(await a.runtime.send('c', 'Pay')).toMatchObject({ status: 'held' })
    await world.calm()
    expect(a.problems).toMatchObject([{ error: { message: 'No chat today.' }, conversation: { tenant: '', id: 'c' } }])
    await a.runtime.approve('c', await heldId(a, 'pay'))
    expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Paid.' })
  }
})

test('a hold can be answered where it is told', async () => {
  const world = new World()
  const a: Process = await world.process('a', {
    ...setup,
    onHeld: async ({ conversationId, callId }) => {
      await a.runtime.approve(conversationId, callId, { by: 'grace' })
    },
  })
  await a.runtime.send('c', 'Pay')
  await world.calm()
  expect(await a.runtime.view('c')).toMatchObject({ status: 'idle' })
  expect(a.problems).toEqual([])
})
