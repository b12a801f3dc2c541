import { expect, test } from 'vitest'
import type { LogEvent } from 'holdpoint'
import { tick } from '../../../../test/kit/session-kit.ts'
import { calls, gated, noting, World } from '../../../../test/kit/runtime-kit.ts'

function words(events: readonly LogEvent[]): readonly string[] {
  const items = events.flatMap((event) => (event.type === 'message.queued' ? [event.item] : []))
  return items.flatMap((item) =>
    item.kind === 'message' ? item.message.parts.map((part) => (part.type === 'text' ? part.text : '')) : [],
  )
}

const queue = { whileBusy: 'queue' } as const
const held = { says: [calls('pay')], tools: [noting([], 'pay', gated)] }

test('messages that one process sends at once to a held conversation wait in the order of the calls', async () => {
  const world = new World()
  const a = await world.process('a', held)
  await a.runtime.send('c', 'one')
  const texts = ['two', 'three', 'four', 'five', 'six']

  await Promise.all(texts.map((text) => a.runtime.send('c', text, queue)))

  expect(words(await world.log())).toEqual(texts)
})

test('they do so in a conversation that is not in memory, with keys, and as submissions', async () => {
  const world = new World()
  const a = await world.process('a', held)
  await a.runtime.send('c', 'one')
  const b = await world.process('b', held)
  const texts = ['two', 'three', 'four', 'five', 'six', 'seven']

  await Promise.all(
    texts.map((text, index) =>
      index % 2 === 0
        ? b.runtime.submit('c', text, { ...queue, key: text })
        : b.runtime.send('c', text, index === 1 ? queue : { ...queue, key: text }),
    ),
  )

  expect(words(await world.log())).toEqual(texts)
})

test('they do so although the first of them takes the longest to be written', async () => {
  const world = new World()
  const texts = ['two', 'three', 'four', 'five', 'six']
  let slow = false
  // What is written first is held up, as it may be by a busy disk: a caller that does not wait for it goes ahead.
  const before = async (question: string): Promise<void> => {
    if (question !== 'append' || !slow) return
    slow = false
    for (let turns = 0; turns < 50; turns++) await tick()
  }
  const a = await world.process('a', { ...held, before })
  await a.runtime.send('c', 'one')
  slow = true

  await Promise.all(texts.map((text) => a.runtime.send('c', text, queue)))

  expect(words(await world.log())).toEqual(texts)
})
