import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { calls, expectSound, gated, heldId, noting, slow, timesAsked, World } from '../../../../test/kit/runtime-kit.ts'

const held = { says: [calls('pay')], tools: [noting([], 'pay', gated)] }

test('an idle conversation leaves memory after a while, and is loaded again when a caller needs it', async () => {
  const world = new World()
  const a = await world.process('a', { idleMs: 30_000 })
  await a.runtime.send('c', 'One')
  await world.pass(25_000)
  await a.runtime.send('c', 'Two')
  expect(timesAsked(a, 'load', 'c')).toBe(1)

  await world.pass(32_000)
  expect(await a.runtime.send('c', 'Three')).toMatchObject({ status: 'done' })

  expect(timesAsked(a, 'load', 'c')).toBe(2)
  expectSound(await world.log(), a)
})

test(
  proves(
    'memory.held-costs-disk-only',
    'of many held conversations no more stay in memory than may, and each is there when its answer comes',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', { ...held, keepIdle: 5 })
    const ids = Array.from({ length: 60 }, (_, n) => `c${n}`)
    for (const id of ids) await a.runtime.send(id, 'Pay')
    await world.pass(1000)
    const loads = timesAsked(a, 'load')

    for (const id of ids) expect(await a.runtime.approve(id, await callIn(id))).toMatchObject({ verdict: 'accepted' })

    const again = ids.filter((id) => timesAsked(a, 'load', id) > 1)
    expect(timesAsked(a, 'load') - loads).toBeGreaterThanOrEqual(55)
    expect(again).toEqual(expect.arrayContaining(ids.slice(0, 55)))

    async function callIn(id: string): Promise<string> {
      const [hold] = (await world.log(id)).flatMap((event) => (event.type === 'call.held' ? [event] : []))
      return hold!.callId
    }
  },
)

test('a conversation that was never written, and leaves memory while a caller asks for it, does not exist', async () => {
  const world = new World()
  const reading = Promise.withResolvers<void>()
  let reads = 0
  const a = await world.process('a', {
    agents: ['desk', 'shop'],
    idleMs: 3000,
    before: (question) => {
      if (question === 'append') return { result: 'failed', why: 'the disk is full' }
      return question === 'read' && reads++ === 0 ? reading.promise : undefined
    },
  })
  const sent = a.runtime.send('c', 'Hello', { agent: 'desk' }).catch((error: unknown) => error)
  expect(await world.soon(sent)).toMatchObject({ code: 'store-unavailable' })
  const cancelled = a.runtime.cancel('c')
  await world.clock.advance(5000)
  reading.resolve()

  expect(await cancelled).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
})

test('asking what waits keeps nothing in memory', async () => {
  const world = new World()
  const a = await world.process('a', held)
  for (const id of ['x', 'y', 'z']) await a.runtime.send(id, 'Pay')
  const b = await world.process('b', held)

  expect((await b.runtime.pending()).items).toHaveLength(3)
  const asked = timesAsked(b, 'load')
  await b.runtime.approve('y', await heldId(a, 'pay', 'y'))

  expect(timesAsked(b, 'load')).toBe(asked + 1)
})

test('while it works, a conversation stays in memory however long that takes', async () => {
  const world = new World()
  const work = slow('work', { timeout: '1h' })
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool], idleMs: 1000, keepIdle: 0 })
  const sending = a.runtime.send('c', 'Work')
  await world.pass(60_000)

  work.release()

  expect(await sending).toMatchObject({ status: 'done' })
  expect(timesAsked(a, 'load', 'c')).toBe(1)
})

test('with room for none, conversations that come at once are each in memory once, and each is driven once', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool], keepIdle: 0 })
  const ids = ['c', 'd', 'e', 'f']
  const sending = ids.map((id) => a.runtime.send(id, 'Work'))
  await world.until(() => work.started.length >= ids.length)

  const more = ids.map((id) => a.runtime.send(id, 'More', { whileBusy: 'queue' }))
  await world.calm()
  expect(work.started).toHaveLength(ids.length)

  for (let round = 0; round < 2; round++) {
    work.release()
    await world.calm()
  }
  await Promise.all([...sending, ...more])
  expect(new Set(work.started).size).toBe(2 * ids.length)
  for (const id of ids) expectSound(await world.log(id))
})

test('what a conversation knew before it left memory, it knows after: its holds, its queue and its plugins', async () => {
  const world = new World()
  const a = await world.process('a', { ...held, idleMs: 1000 })
  await a.runtime.send('c', 'Pay')
  await a.runtime.submit('c', 'And later', { whileBusy: 'queue' })
  const id = await heldId(a, 'pay')
  await world.pass(5000)

  await a.runtime.reject('c', id)
  await world.calm()

  const [, , later] = (await world.log()).flatMap((event) => (event.type === 'model.replied' ? [event.turnId] : []))
  const started = (await world.log()).filter(({ type }) => type === 'turn.started')
  expect(started).toMatchObject([
    {},
    { turnId: later, queued: 1, items: [{ message: { parts: [{ text: 'And later' }] } }] },
  ])
})

test('a conversation that is only followed leaves memory too, and shows its frames again when it comes back', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Word by word.'], idleMs: 10_000 })
  await a.runtime.send('c', 'One')
  const seen: string[] = []
  void (async () => {
    for await (const { type } of a.runtime.subscribe('c', { after: 2 })) seen.push(type)
  })()
  await world.pass(12_000)

  await a.runtime.send('c', 'Two')
  await world.calm()

  expect(timesAsked(a, 'load', 'c')).toBe(2)
  expect(seen.filter((type) => type !== 'reply-text')).toEqual(['turn.started', 'reply-start', 'model.replied'])
  expect(seen.filter((type) => type === 'reply-text')).toHaveLength(3)
})

test('a burst of conversations does not fill memory, though no time passes', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'], keepIdle: 5, lookMs: 3_600_000 })
  const ids = Array.from({ length: 60 }, (_, n) => `c${n}`)
  for (const id of ids) await a.runtime.send(id, 'Hello')

  for (const id of ids) await a.runtime.send(id, 'Again')

  const stayed = ids.filter((id) => timesAsked(a, 'load', id) === 1)
  expect(stayed.length).toBeLessThanOrEqual(11)
})
