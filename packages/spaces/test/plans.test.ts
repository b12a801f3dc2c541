/** Plans: each due time fires once, across restarts and processes, and what was missed follows its policy. */
import { nodePorts } from 'holdpoint'
import { expect, test } from 'vitest'
import { World, type Process } from '../../../test/kit/runtime-kit.ts'

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
  const made = await one.runtime.agents.setPlan('desk', { id: 'p', what: 'Call Ada', runAfter: '1 hour' })
  expect(made.ok).toBe(true)
  one.kill()
  const two = await desk(world, 'two')
  await desk(world, 'three')
  await world.pass(59 * MINUTE)
  expect(await fired(world)).toEqual([])
  await world.pass(2 * MINUTE)
  expect(await fired(world)).toHaveLength(1)
  expect((await two.runtime.agents.view('desk')).plans).toEqual([])
  const started = (await world.log('agent:desk')).filter(({ type }) => type === 'turn.started')
  expect(started).toHaveLength(1)
})

test.each([
  ['* * * * * *', 'names times that are 1 s apart, and here they are at least 60 s apart'],
  ['*/20 * * * * *', 'names times that are 20 s apart'],
  ['0,30 0 9 * * 1', 'names times that are 30 s apart'],
])('a plan by the line %s is refused where its times must be a minute apart', async (cron, why) => {
  const world = new World()
  const { runtime } = await world.process('one', { nextTime: nodePorts.nextTime!, planEveryMs: MINUTE })
  const made = await runtime.agents.setPlan('desk', { what: 'Look', cron })
  expect(made).toEqual({ ok: false, why: expect.stringContaining(why) })
  expect((await runtime.agents.setPlan('desk', { what: 'Look', cron: '* * * * *' })).ok).toBe(true)
})

test('sixty plans, each of another second, are due together each minute, and do not wake an agent every second', async () => {
  const world = new World()
  const says = Array.from({ length: 100 }, () => 'Done.')
  const { runtime } = await world.process('one', { nextTime: nodePorts.nextTime!, planEveryMs: MINUTE, says })
  for (let second = 0; second < 60; second++) {
    const made = await runtime.agents.setPlan('desk', { id: `p${second}`, what: 'Look', cron: `${second} * * * * *` })
    expect(made).toMatchObject({ ok: true })
    if (made.ok) expect(made.plan.nextAt % MINUTE).toBe(0)
  }
  for (let nth = 0; nth < 180; nth++) await world.pass(1000)
  const events = await world.log('agent:desk')
  expect(events.filter(({ type }) => type === 'plan.fired').length).toBeGreaterThan(120)
  const turns = events.filter(({ type }) => type === 'turn.started')
  expect(turns.length).toBeGreaterThanOrEqual(2)
  // The first one that fires wakes it, the others are for the cycle after that.
  expect(turns.length).toBeLessThanOrEqual(2 * 4)
})

test.each([
  ['once', 1],
  ['all', 3],
  ['none', 0],
] as const)('of times that were missed while everything was down, the policy %s fires %i', async (missed, count) => {
  const world = new World()
  const one = await desk(world, 'one')
  await one.runtime.agents.setPlan('desk', { id: 'p', what: 'Look', cron: '*/10 * * * *', missed })
  one.kill()
  const { clock } = world
  await clock.advance(35 * MINUTE)
  await desk(world, 'two')
  await world.pass(1000)
  expect(await fired(world)).toHaveLength(count)
  await world.pass(10 * MINUTE)
  expect(await fired(world)).toHaveLength(count + 1)
})
