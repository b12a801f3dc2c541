import { proves } from '@holdpoint/testing'
import { definePlugin, type Plugin } from 'holdpoint'
import { expect, test } from 'vitest'
import { calls, count, expectSound, noting, types, World, type Process } from '../../../../test/kit/runtime-kit.ts'

/** A plugin that throws while it is broken, and notes when it was asked. */
function fragile(world: World): { plugin: Plugin; broken: boolean; asked: number[] } {
  const state = {
    broken: true,
    asked: [] as number[],
    plugin: definePlugin({
      id: 'fragile',
      prepare: () => {
        state.asked.push(world.clock.now())
        if (state.broken) throw new Error('The plugin is broken.')
      },
    }),
  }
  return state
}

test(
  proves(
    'drive.retried',
    'a plugin that throws: the sender is told, it is tried again with longer and longer pauses, and goes on when mended',
  ),
  async () => {
    const world = new World()
    const state = fragile(world)
    const a = await world.process('a', { says: ['Hi.'], agent: { plugins: [state.plugin] } })

    await expect(a.runtime.send('c', 'Hello')).rejects.toThrow('The plugin is broken.')
    await world.pass(20_000)
    const pauses = state.asked.map((at, n) => at - (state.asked[n - 1] ?? at)).slice(1)
    expect(pauses).toEqual([1000, 2000, 4000, 8000])
    expect(a.problems).toHaveLength(5)
    expect(a.problems[0]).toMatchObject({ conversation: { id: 'c' }, error: { message: 'The plugin is broken.' } })

    state.broken = false
    await world.pass(16_000)
    expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Hi.' })
    expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
  },
)

test('pauses are never longer than a minute, and start again at the shortest after a success', async () => {
  const world = new World()
  const state = fragile(world)
  const a = await world.process('a', { says: ['Hi.'], agent: { plugins: [state.plugin] } })
  await a.runtime.submit('c', 'Hello')
  await world.pass(300_000)
  expect(state.asked.at(-1)! - state.asked.at(-2)!).toBe(60_000)

  state.broken = false
  await world.pass(10_000)
  expect(count(await world.log(), 'model.replied')).toBe(1)
  state.broken = true
  const before = state.asked.length
  await a.runtime.submit('c', 'Again')
  await world.calm()
  await world.pass(1200)
  expect(state.asked.length - before).toBe(2)
})

test('a caller that waits for a conversation whose plugin is broken is told at the next try', async () => {
  const world = new World()
  const state = fragile(world)
  const a = await world.process('a', { says: ['Hi.'], agent: { plugins: [state.plugin] } })
  await a.runtime.submit('c', 'Hello')
  await world.calm()

  const waiting = a.runtime.continue('c').catch((error: unknown) => error)
  await world.pass(1500)

  expect(await waiting).toMatchObject({ message: 'The plugin is broken.' })
})

test('a turn whose plugin is broken can be cancelled at once, and another conversation is not disturbed', async () => {
  const world = new World()
  const state = fragile(world)
  const a = await world.process('a', { says: ['Hi.'], agent: { plugins: [state.plugin] } })
  await a.runtime.submit('c', 'Hello')
  await world.pass(10_000)

  expect(await a.runtime.cancel('c')).toEqual({ ok: true })
  state.broken = false
  expect(await a.runtime.send('d', 'Hello')).toMatchObject({ status: 'done' })
  expect(await world.soon(a.runtime.send('c', 'Hello again'))).toMatchObject({ status: 'done', text: 'Hi.' })
  expectSound(await world.log(), a)
})

test('a process can be closed while its plugin is broken, and one whose plugin is whole goes on at once', async () => {
  const world = new World()
  const state = fragile(world)
  const a = await world.process('a', { says: ['Hi.'], agent: { plugins: [state.plugin] } })
  await a.runtime.submit('c', 'Hello')
  await world.pass(10_000)

  await a.runtime.close()
  await world.process('b', { says: ['Hi.'] })
  await world.calm()

  expect(count(await world.log(), 'model.replied')).toBe(1)
})

test('a tool that throws, a model that fails and a problem without a listener do no harm', async () => {
  const world = new World()
  const work = { ...noting([], 'work'), run: () => Promise.reject(new Error('It broke.')) }
  const a: Process = await world.process('a', {
    says: [calls('work'), new Error('The vendor is away.')],
    tools: [work],
    onProblem: () => {
      throw new Error('The alarm is broken too.')
    },
  })

  expect(await a.runtime.send('c', 'Work')).toMatchObject({ status: 'failed', reason: 'model_failed' })
  expectSound(await world.log(), a)
})

test('an alarm that throws stops nothing', async () => {
  const world = new World()
  const state = fragile(world)
  const a = await world.process('a', {
    says: ['Hi.'],
    agent: { plugins: [state.plugin] },
    onProblem: () => {
      throw new Error('The alarm is broken too.')
    },
  })
  await a.runtime.submit('c', 'Hello')
  await world.pass(5000)
  state.broken = false
  await world.pass(10_000)

  expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
  await world.soon(a.runtime.close())
})
