import { proves } from '@holdpoint/testing'
import { emptyView } from '@holdpoint/core/view'
import { expect, test } from 'vitest'
import { asking, calls, gated, heldId, noting, slow, types, World } from '../../../../test/kit/runtime-kit.ts'

const TOMBSTONE = { type: 'conversation.erased', agent: 'desk', by: 'ada', reason: 'request 12' }
const by = { by: 'ada', reason: 'request 12' } as const

test('an erased conversation leaves a tombstone: who erased it, when and why, and nothing of its content', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['The secret reply.'] })
  await world.soon(a.runtime.send('c', 'The secret message.', { by: 'ben' }))
  const { length } = await world.log()

  expect(await a.runtime.erase('c', by)).toEqual({ ok: true })

  const at = world.clock.now()
  expect(await world.log()).toEqual([{ ...TOMBSTONE, seq: length + 1, at }])
  const erased = { by: 'ada', reason: 'request 12', at }
  expect(await a.runtime.view('c')).toEqual({ ...emptyView, agent: 'desk', seq: length + 1, erased })
  expect(await a.runtime.erasure('c')).toEqual(erased)
  expect(await a.runtime.participants('c')).toEqual({ owner: undefined, participants: [] })
  expect((await a.runtime.list()).items).toEqual([])
})

test('every later command is refused, in this process and in another', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'] })
  await world.soon(a.runtime.send('c', 'Go', { key: 'k' }))
  await a.runtime.erase('c')
  const b = await world.process('b', { says: ['Done.'] })
  for (const { runtime } of [a, b]) {
    expect(await runtime.send('c', 'Again')).toMatchObject({ status: 'refused', reason: 'erased' })
    expect(await runtime.submit('c', 'Go', { key: 'k' })).toMatchObject({ ok: false, refusal: 'erased' })
    expect(await runtime.continue('c')).toMatchObject({ status: 'refused', reason: 'erased' })
    expect(await runtime.cancel('c')).toMatchObject({ ok: false, refusal: 'erased' })
    expect(await runtime.comment('c', 'x', 'Hm', { by: 'ada' })).toMatchObject({ ok: false, refusal: 'erased' })
    expect(await runtime.changeParticipants('c', { add: ['ben'] })).toMatchObject({ ok: false, refusal: 'erased' })
    expect(await runtime.approve('c', 'x')).toMatchObject({ verdict: 'unknown' })
    // To erase again changes nothing.
    expect(await runtime.erase('c', { by: 'eve' })).toEqual({ ok: true })
  }
  expect(types(await world.log())).toEqual(['conversation.erased'])
  expect((await a.runtime.erasure('c'))?.by).toBeUndefined()
})

test('a conversation with a held call is erased only with `cancel`, and a late answer is for an unknown call', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('pay')], tools: [noting([], 'pay', gated)] })
  await world.soon(a.runtime.send('c', 'Pay'))
  const callId = await heldId(a, 'pay')
  expect(await a.runtime.erase('c')).toMatchObject({
    ok: false,
    refusal: 'turn-in-progress',
    message: 'Not now: 1 call is held. Cancel first, or erase with cancel: true.',
  })

  expect(await a.runtime.erase('c', { cancel: true })).toEqual({ ok: true })
  expect(await a.runtime.approve('c', callId)).toMatchObject({ verdict: 'unknown' })
  expect((await a.runtime.pending()).items).toEqual([])
  expect(await a.runtime.call(callId)).toBeUndefined()
})

test('a question that still waits after its turn is held too', async () => {
  const world = new World()
  const tools = [asking('ask', 'external', { async: true, timeout: '1h' })]
  const a = await world.process('a', { says: [calls('ask'), 'Later.'], tools })
  await world.soon(a.runtime.send('c', 'Ask'))
  const refused = await a.runtime.erase('c')
  expect(refused).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(!refused.ok && refused.message).toContain('1 call is held')
  expect(await a.runtime.erase('c', { cancel: true })).toEqual({ ok: true })
  await world.pass(3_700_000)
  expect(types(await world.log())).toEqual(['conversation.erased'])
})

test(
  proves(
    'erasure.wins',
    'a tool that runs while its conversation is erased is told to stop, and what it returns is written nowhere',
  ),
  async () => {
    const world = new World()
    const work = slow('work')
    const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
    const b = await world.process('b', { says: [] })
    const sent = a.runtime.send('c', 'Go')
    await world.until(() => work.started.length === 1)

    expect(await b.runtime.erase('c')).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
    expect(await b.runtime.erase('c', { cancel: true })).toEqual({ ok: true })
    await world.until(() => work.aborted.length === 1)
    work.release('secret')
    expect(await world.soon(sent)).toMatchObject({ status: 'refused', reason: 'erased' })
    await world.pass(2000)

    expect(types(await world.log())).toEqual(['conversation.erased'])
    expect(a.problems).toEqual([])
  },
)

test('a process that does not hear of the erasure cannot write', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool], deaf: true, lookMs: 3_600_000 })
  const b = await world.process('b', { says: [] })
  await a.runtime.submit('c', 'Go')
  await world.until(() => work.started.length === 1)
  await b.runtime.erase('c', { cancel: true })
  work.release('secret')
  await world.pass(1000)
  expect(types(await world.log())).toEqual(['conversation.erased'])
  expect(a.problems).toEqual([])
})

test('a reader who follows the conversation gets the tombstone, from any seq, and then nothing', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'] })
  await world.soon(a.runtime.send('c', 'Go'))
  const seen: string[] = []
  const stop = new AbortController()
  const follow = async (after: number): Promise<void> => {
    for await (const item of a.runtime.subscribe('c', { after, signal: stop.signal }))
      if ('seq' in item) seen.push(`${item.seq} ${item.type}`)
  }
  const live = follow(1)
  await world.until(() => seen.length === 1)
  await a.runtime.erase('c')
  await world.until(() => seen.length === 2)
  const late = follow(0)
  await world.until(() => seen.length === 3)
  await world.pass(2000)
  stop.abort()
  await Promise.all([live, late])
  expect(seen).toEqual(['2 model.replied', '3 conversation.erased', '3 conversation.erased'])
})

test('an agent that is gone does not keep its conversations', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'] })
  await world.soon(a.runtime.send('c', 'Go'))
  a.kill()
  const b = await world.process('b', { agents: ['other'] })
  expect(await b.runtime.erase('c')).toEqual({ ok: true })
  expect(types(await world.log())).toEqual(['conversation.erased'])
})

test('what cannot be erased is refused with the reason', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'] })
  await a.runtime.tenant('acme').spaces.create({ id: 'room', name: 'Room' })
  await world.soon(a.runtime.send('c', 'Go', { by: 'ben' }))
  const acme = a.runtime.tenant('acme')
  expect(await acme.erase('nowhere')).toMatchObject({ ok: false, refusal: 'nothing-to-erase' })
  expect(await acme.erase('c')).toMatchObject({ ok: false, refusal: 'nothing-to-erase' })
  expect(await acme.erase('room')).toMatchObject({ ok: false, refusal: 'is-a-space' })
  const eve = { id: 'eve', kind: 'person', access: 'own' } as const
  expect(await a.runtime.erase('c', { by: eve })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  await expect(a.runtime.erase('c', { reason: 'x'.repeat(1001) })).rejects.toThrow('at most 1000 characters')
  await expect(a.runtime.erase('c', { force: true } as never)).rejects.toThrow('force')
  expect(await a.runtime.erase('c', { by: { ...eve, id: 'ben' } })).toEqual({ ok: true })
})

test('a summary that is written after the erasure is dropped', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'] })
  await world.soon(a.runtime.send('c', 'Go'))
  await a.runtime.erase('c')
  const store = await world.store
  await store.note({ tenant: '', id: 'c' }, { kind: 'summary', seq: 2, at: 0, data: 'secret' })
  expect(await store.notes({ tenant: '', id: 'c' }, { kind: 'summary', limit: 1 })).toEqual([])
})
