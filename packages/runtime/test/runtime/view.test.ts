import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { viewOf } from '@holdpoint/core/internal/live/view'
import { calls, gated, noting, timesAsked, World, type Process } from '../../../../test/kit/runtime-kit.ts'

const setup = { says: [calls('look'), 'Well.'], tools: [noting([], 'look'), noting([], 'pay', gated)] }

async function talked(process: Process, turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) await process.runtime.send('c', `Turn ${n}`)
}

test(
  proves(
    'log.fold-equals-live',
    'the newest turns of a conversation, and page by page the older ones, are what its whole log shows',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', setup)
    await a.runtime.create({ id: 'c' })
    await talked(a, 13)
    const whole = viewOf(await world.log())
    const b = await world.process('b', setup)

    const newest = await b.runtime.view('c', { turns: 5 })
    expect(newest!.turns).toEqual(whole.turns.slice(-5))
    const pages = [newest!]
    while (pages[0]!.from > 1) pages.unshift((await b.runtime.view('c', { turns: 5, before: pages[0]!.from }))!)

    expect(pages.map(({ turns }) => turns.length)).toEqual([3, 5, 5])
    expect(pages.flatMap(({ turns }) => turns)).toEqual(whole.turns)
    expect(timesAsked(b, 'takeOver')).toBe(0)
  },
)

test('the view of a conversation that waits shows what it waits for', async () => {
  const world = new World()
  const a = await world.process('a', { ...setup, says: [calls('pay')] })
  await a.runtime.send('c', 'Pay')

  const view = await a.runtime.view('c')

  expect(JSON.stringify(view)).toContain('"approval"')
  expect(view).toEqual(viewOf(await world.log()))
})

test('there is no view of a conversation that does not exist, nor of another tenant’s', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  await a.runtime.tenant('acme').send('c', 'Hi')

  expect(await a.runtime.view('c')).toBeUndefined()
  expect(await a.runtime.tenant('acme').view('c')).toBeDefined()
})

test.each([null, 5, { turns: 0 }, { turns: 'all' }, { before: -1 }, { before: 'x' }])(
  'a view as %j is refused',
  async (options) => {
    const a = await new World().process('a', setup)
    await expect(a.runtime.view('c', options as never)).rejects.toMatchObject({ code: 'config-invalid' })
  },
)

test('a conversation that does not exist has no view and no older page; the page before the first is empty', async () => {
  const world = new World()
  const a = await world.process('a', setup)
  expect(await a.runtime.view('nope')).toBeUndefined()
  expect(await a.runtime.view('nope', { before: 5 })).toBeUndefined()
  await talked(a, 1)
  expect(await a.runtime.view('c', { before: 1 })).toMatchObject({ turns: [] })
})
