/** Plans: each due time fires once, across restarts and processes, and what was missed follows its policy. */
import { nodePorts } from 'holdpoint'
import { expect, test } from 'vitest'
import { World, type Process } from './kit.ts'

const MINUTE = 60_000

async function fired(world: World): Promise<readonly number[]> {
  const events = await world.log('agent:desk')
  return events.flatMap((event) => (event.type === 'plan.fired' ? event.due : []))
}

async function desk(world: World, name: string): Promise<Process> {
  return world.process(name, { nextTime: nodePorts.nextTime!, says: ['Done.'] })
}

test('a plan fires once, at its time, although the process that made it is gone and two others look', async () => {
  const world = new World()
  const one = await desk(world, 'one')
  const made = await one.runtime.lives.setPlan('desk', { id: 'p', what: 'Call Ada', runAfter: '1 hour' })
  expect(made.ok).toBe(true)
  one.kill()
  const two = await desk(world, 'two')
  await desk(world, 'three')
  await world.pass(59 * MINUTE)
  expect(await fired(world)).toEqual([])
  await world.pass(2 * MINUTE)
  expect(await fired(world)).toHaveLength(1)
  expect((await two.runtime.lives.view('desk')).plans).toEqual([])
  const started = (await world.log('agent:desk')).filter(({ type }) => type === 'turn.started')
  expect(started).toHaveLength(1)
})

test.each([
  ['once', 1],
  ['all', 3],
  ['none', 0],
] as const)('of times that were missed while everything was down, the policy %s fires %i', async (missed, count) => {
  const world = new World()
  const one = await desk(world, 'one')
  await one.runtime.lives.setPlan('desk', { id: 'p', what: 'Look', cron: '*/10 * * * *', missed })
  one.kill()
  const { clock } = world
  await clock.advance(35 * MINUTE)
  await desk(world, 'two')
  await world.pass(1000)
  expect(await fired(world)).toHaveLength(count)
  await world.pass(10 * MINUTE)
  expect(await fired(world)).toHaveLength(count + 1)
})
