/** How soon work goes on when a store is back that was away for long: within 5 s, counted on the clock of the test. */
import { HoldpointError } from 'holdpoint'
import { expect, test } from 'vitest'
import { calls, count, outcomes, slow, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

test.each(['all', 'append', 'beat', 'load', 'read', 'heads', 'due', 'takeOver'] as const)(
  'work goes on within 5 s of the return of a store that was away for ten minutes (%s), also on a conversation of a process that died',
  async (what) => {
    const world = new World()
    let away = false
    const before: Setup['before'] = (question) => {
      if (away && (what === 'all' || question === what))
        throw new HoldpointError('store-unavailable', 'The store is away.')
      return undefined
    }
    const work = slow('work')
    const dead = await world.process('dead', { says: [() => (dead.kill(), 'x')] })
    void dead.runtime.submit('d', 'Hi')
    await world.calm()
    const a = await world.process('a', {
      says: [calls('work'), 'Done.', 'Hi.', 'Hi.'],
      tools: [work.tool],
      before,
    })
    await a.runtime.submit('c', 'Work')
    await world.until(() => work.started.length === 1)
    away = true
    await world.pass(60_000)
    work.release()
    await world.pass(540_000)

    away = false
    await world.pass(5000)

    expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'work done' } })
    expect(count(await world.log(), 'model.replied')).toBe(2)
    expect(count(await world.log('d'), 'model.replied')).toBeGreaterThan(0)
  },
)

test('a step that needs what the store does not give for ten minutes goes on within 5 s of its return, and is told of once a minute', async () => {
  const world = new World()
  let away = true
  const before: Setup['before'] = (question) => {
    if (away && question === 'readBack') throw new HoldpointError('store-unavailable', 'Earlier turns cannot be read.')
    return undefined
  }
  const first = await world.process('first', { says: ['Hi.'] })
  await first.runtime.send('c', 'Hello')
  await first.runtime.close()
  const a = await world.process('a', { says: ['Hi.'], before })
  const sending = a.runtime.send('c', 'Hello again').catch((error: unknown) => error)
  await world.pass(600_000)
  expect(await sending).toMatchObject({ code: 'store-unavailable' })
  const told = a.problems.filter(({ conversation }) => conversation?.id === 'c').length
  expect([9, 10, 11]).toContain(told)

  away = false
  await world.pass(5000)

  expect(count(await world.log(), 'model.replied')).toBe(2)
})
