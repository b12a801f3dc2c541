/** An application hears of holds, answers, results and ends in the process that wrote them, without asking again and again. */
import type { NewHold, RuntimeCallback, RuntimeEvents } from 'holdpoint'
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
  const process = await world.process(name, given)
  process.runtime.on('held', (hold) => void heard.push(hold))
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

test('a process that died right after it wrote the hold told no one: pending() has the hold', async () => {
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
  const failures: readonly RuntimeCallback<'held'>[] = [
    () => {
      throw new Error('No chat today.')
    },
    async () => Promise.reject(new Error('No chat today.')),
  ]
  for (const failing of failures) {
    const world = new World()
    const a = await world.process('a', setup)
    a.runtime.on('held', failing)
    expect(await a.runtime.send('c', 'Pay')).toMatchObject({ status: 'held' })
    await world.calm()
    expect(a.problems).toMatchObject([{ error: { message: 'No chat today.' }, conversation: { tenant: '', id: 'c' } }])
    await a.runtime.approve('c', await heldId(a, 'pay'))
    expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Paid.' })
  }
})

test('a hold can be answered where it is told', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  a.runtime.on('held', async ({ conversationId, callId }) => {
    await a.runtime.approve(conversationId, callId, { by: 'grace' })
  })
  await a.runtime.send('c', 'Pay')
  await world.calm()
  expect(await a.runtime.view('c')).toMatchObject({ status: 'idle' })
  expect(a.problems).toEqual([])
})

/** Every event that a runtime tells, as text. */
function listen(runtime: Process['runtime']): { readonly heard: string[]; readonly stop: () => void } {
  const heard: string[] = []
  const note = (text: string): void => void heard.push(text)
  const stops = [
    runtime.on('held', ({ name }) => note(`held ${name}`)),
    runtime.on('resolved', ({ resolution, by }) => note(`resolved ${resolution.kind} by ${by}`)),
    runtime.on('settled', ({ outcome }) => note(`settled ${outcome.ok}`)),
    runtime.on('ended', ({ reason }) => note(`ended ${reason}`)),
  ]
  return { heard, stop: () => stops.forEach((each) => each()) }
}

test('an answer, a result and the end of a turn are told in their order, until the callback is removed', async () => {
  const world = new World()
  const a = await world.process('a', { ...setup, says: [calls('pay'), 'Paid.', 'And now?'] })
  const { heard, stop } = listen(a.runtime)
  await a.runtime.send('c', 'Pay')
  await a.runtime.approve('c', await heldId(a, 'pay'), { by: 'grace' })
  await world.calm()
  expect(heard).toEqual(['held pay', 'resolved approve by grace', 'settled true', 'ended completed'])
  stop()
  await a.runtime.send('c', 'More')
  await world.calm()
  expect(heard).toHaveLength(4)
})

test('a turn that is cancelled, or whose hold expires, is told once', async () => {
  const world = new World()
  const a = await world.process('a', { ...setup, says: [calls('pay'), calls('pay')] })
  const { heard } = listen(a.runtime)
  await a.runtime.send('c', 'Pay')
  await a.runtime.cancel('c')
  await world.calm()
  expect(heard).toEqual(['held pay', 'settled false', 'ended cancelled'])
})

test('the runtime of a tenant tells only of that tenant, and that of the program of all', async () => {
  const world = new World()
  const a = await world.process('a', { ...setup, says: [calls('pay'), calls('pay'), calls('pay')] })
  const [all, acme, own] = [a.runtime, a.runtime.tenant('acme'), a.runtime.tenant('')].map((runtime) => {
    const tenants: string[] = []
    runtime.on('held', ({ tenant }) => void tenants.push(tenant))
    return tenants
  })
  await a.runtime.tenant('acme').send('c', 'Pay')
  await a.runtime.tenant('other').send('c', 'Pay')
  await a.runtime.send('c', 'Pay')
  await world.calm()
  expect({ all, acme, own }).toEqual({ all: ['acme', 'other', ''], acme: ['acme'], own: [''] })
})

test('an event that does not exist, and a callback that is no function, are refused', async () => {
  const { runtime } = await new World().process('a', setup)
  const on = runtime.on.bind(runtime) as (name: string, callback: unknown) => void
  expect(() => on('hold', () => {})).toThrow('There are held, resolved, settled, ended')
  expect(() => on('held' satisfies keyof RuntimeEvents, 'log')).toThrow('must be a function')
})
