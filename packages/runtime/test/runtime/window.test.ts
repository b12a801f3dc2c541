import { proves } from '@holdpoint/testing'
import type { ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import { gated, heldId, noting, timesAsked, World, type Process, type Setup } from '../../../../test/kit/runtime-kit.ts'

/** Every turn makes a call of its own, which waits for a person where the message says so. */
function setup(window: { readonly messages: number } | undefined, more: Setup = {}): Setup {
  const name = ({ prompt }: ModelRequest): string => (JSON.stringify(prompt.at(-1)).includes('Pay') ? 'pay' : 'look')
  const id = ({ prompt }: ModelRequest): string => /for (\d+)/.exec(JSON.stringify(prompt.at(-1)))![1]!
  return {
    says: [(request) => ({ calls: [{ name: name(request), id: `call-${id(request)}` }] }), 'Well.'],
    tools: [noting([], 'pay', gated), noting([], 'look')],
    ...(window && { agent: { context: { window } } }),
    ...more,
  }
}

async function talked(process: Process, turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) await process.runtime.send('c', `Look for ${n}`)
}

const last = ({ model }: Process): unknown => model.requests.at(-1)!.prompt

test.each([{ messages: 1 }, { messages: 5 }, { messages: 12 }, undefined])(
  proves(
    'log.fold-equals-live',
    'a long conversation that was just loaded sends the model what one sends that stayed in memory (window %j)',
  ),
  async (window) => {
    const stayed = await new World().process('a', setup(window))
    await talked(stayed, 26)

    const world = new World()
    const left = await world.process('a', setup(window))
    await talked(left, 25)
    const fresh = await world.process('b', setup(window))
    await fresh.runtime.send('c', 'Look for 25')

    expect(last(fresh)).toEqual(last(stayed))
    if (window) expect(fresh.model.requests[0]!.prompt.length).toBeLessThanOrEqual(window.messages + 4)
  },
)

test.each([{ messages: 5 }, undefined])(
  'a call that was approved after a restart is answered with the same prompt as one without (window %j)',
  async (window) => {
    const prompts: unknown[] = []
    for (const restart of [false, true]) {
      const world = new World()
      const first = await world.process('a', setup(window))
      await talked(first, 12)
      await first.runtime.send('c', 'Pay for 12')
      const second = restart ? await world.process('b', setup(window)) : first
      await second.runtime.approve('c', await heldId(second, 'pay'))
      await second.runtime.continue('c')
      prompts.push(last(second))
    }
    expect(prompts[1]).toEqual(prompts[0])
  },
)

test('a conversation with a window reads no more of a long log than it shows', async () => {
  const world = new World()
  const a = await world.process('a', setup({ messages: 6 }))
  await talked(a, 200)
  const b = await world.process('b', setup({ messages: 6 }))

  expect(await b.runtime.send('c', 'Look for 200')).toMatchObject({ status: 'done', text: 'Well.' })

  expect(timesAsked(b, 'readBack')).toBe(1)
  expect(timesAsked(b, 'load')).toBe(1)
})

test('the result of a turn is whole although the model is shown only its end', async () => {
  const world = new World()
  const steps = Array.from({ length: 7 }, (_, n) => ({ calls: [{ name: 'look', id: `call-${n}` }] }))
  const a = await world.process('a', { ...setup({ messages: 1 }), says: [...steps, 'Well.'] })

  const { steps: told, text } = await a.runtime.send('c', 'Look for it')

  expect(told).toHaveLength(8)
  expect(text).toBe('Well.')
})

test('a process that never saw a conversation tells how its last turn ended, without asking the model', async () => {
  const world = new World()
  const a = await world.process('a', setup({ messages: 2 }))
  await talked(a, 5)
  const b = await world.process('b', setup({ messages: 2 }))

  const told = await b.runtime.continue('c')

  expect(told).toMatchObject({ status: 'done', text: 'Well.' })
  expect(told.steps).toHaveLength(2)
  expect(b.model.requests).toHaveLength(0)
})
