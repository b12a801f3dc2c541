import { expect, test } from 'vitest'
import { asking, calls, count, LEASE, noting, timesAsked, types, World } from '../../../../test/kit/runtime-kit.ts'
import type { Address } from 'holdpoint'

const ids = Array.from({ length: 350 }, (_, n) => `c${n}`)

test('many conversations left by a dead process, more than one page of them, all go on at once, and each once', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says: [calls('work'), 'Done.'], tools: [noting(ran, 'work')] }
  const front = await world.process('front', { ...setup, drive: false })
  for (const id of ids) await front.runtime.submit(id, 'Work')
  const b = await world.process('b', setup)

  await world.calm()
  await world.pass(500)

  expect(ran).toHaveLength(ids.length)
  expect(new Set(ran).size).toBe(ids.length)
  for (const id of ids) expect(types(await world.log(id)).at(-1)).toBe('model.replied')
  expect(timesAsked(b, 'due')).toBeLessThan(10)
})

test('many deadlines that come at the same moment are all kept', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('ask')],
    tools: [asking('ask', 'human', { timeout: '30s' })],
    keepIdle: 10,
  })
  for (const id of ids) await a.runtime.send(id, 'Ask')
  const start = world.clock.now()

  await world.pass(31_500)

  for (const id of ids) {
    const log = await world.log(id)
    expect(count(log, 'call.settled')).toBe(1)
    expect(log.find(({ type }) => type === 'call.settled')!.at - start).toBeLessThan(31_000)
  }
})

test('several processes share what is left by a dead one, and no conversation is driven twice', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says: [calls('work'), 'Done.'], tools: [noting(ran, 'work')] }
  const front = await world.process('front', { ...setup, drive: false })
  for (const id of ids) await front.runtime.submit(id, 'Work')

  const drivers = await Promise.all(['p', 'q', 'r'].map((name) => world.process(name, setup)))
  await world.pass(2000)

  expect(ran).toHaveLength(ids.length)
  expect(drivers.reduce((sum, { model }) => sum + model.requests.length, 0)).toBe(2 * ids.length)
})

test('conversations that cannot be helped do not hide the others, however many they are', async () => {
  const world = new World()
  const front = await world.process('front', { drive: false })
  for (const id of ids) await front.runtime.submit(id, 'Work')
  const broken = new Set(ids.slice(0, 250))
  const a = await world.process('a', {
    says: ['Hi.'],
    before: (question, [about]) => {
      if (question === 'load' && broken.has((about as Address).id)) throw new Error('This one is damaged.')
    },
  })

  await world.pass(LEASE)

  for (const id of ids.slice(250)) expect(count(await world.log(id), 'model.replied')).toBe(1)
  expect(a.problems.length).toBeGreaterThan(0)
  expect(timesAsked(a, 'due')).toBeLessThan(40)
})
