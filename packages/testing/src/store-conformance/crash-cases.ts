/** Every acknowledged write remains after a handle is closed or crashes. */
import type { Append, Appended, Store } from '@holdpoint/core'
import { at, draft, hold, loadedFrom, logged, logOf, NOON, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import { documentStory, sameDocumentStory } from './document-story.ts'
import { noteStory, sameNoteStory } from './note-cases.ts'
import type { Cases } from './scene.ts'

const MINUTE = 60_000

export const crashCases: Cases = {
  'after close and open, the store has everything': async ({ store, another, close, now }) => {
    const wakeAt = (await now()) + 10 * MINUTE
    const { writes, epoch } = await story(store, wakeAt)
    await close(store)
    await sameStory(await another(), writes, wakeAt, epoch)
  },

  'after a handle died, the store has every acknowledged write': async ({ store, another, kill, now }) => {
    const wakeAt = (await now()) + 10 * MINUTE
    const { writes, epoch } = await story(store, wakeAt)
    await kill(store)
    await sameStory(await another(), writes, wakeAt, epoch)
  },

  'after close and open, the store has the notes': async ({ store, another, close, now }) => {
    const until = (await now()) + 60 * MINUTE
    await noteStory(store, until)
    await close(store)
    await sameNoteStory(await another(), until)
  },

  'after a handle died, the store has its notes': async ({ store, another, kill, now }) => {
    const until = (await now()) + 60 * MINUTE
    await noteStory(store, until)
    await kill(store)
    await sameNoteStory(await another(), until)
  },

  'after close and open, the store has the documents': async ({ store, another, close }) => {
    await documentStory(store)
    await close(store)
    await sameDocumentStory(await another())
  },

  'after a handle died, the store has its documents': async ({ store, another, kill }) => {
    await documentStory(store)
    await kill(store)
    await sameDocumentStory(await another())
  },

  'no acknowledged write is lost, however soon after it the handle dies': async ({ store, another, kill }) => {
    for (let round = 0; round < 3; round++) {
      const dying = await another()
      const writes = [0, 1, 3].map((seq) => draft(`c${round}`, seq, { many: seq === 1 ? 2 : 1 }))
      for (const write of writes) await written(dying, write)
      await kill(dying)
      await sameLog(store, at(`c${round}`), writes)
    }
  },

  'a write in flight when its handle dies is stored completely or not at all': async ({ store, another, kill }) => {
    await underWay(store, await another(), kill)
  },

  'a write in flight when its handle is closed is stored completely or not at all': async ({
    store,
    another,
    close,
  }) => {
    await underWay(store, await another(), close)
  },

  'conversations of a dead node can be taken over once its lease has expired, and its last write counts': async (
    scene,
  ) => {
    const { store, another, kill, advance } = scene
    const dying = await another()
    await dying.beat('dies', MINUTE)
    const first = draft('c', 0, { status: 'running', node: 'dies' })
    const { epoch } = await written(dying, first)
    await kill(dying)
    // A store that can see the end of a process may know sooner.
    await advance(2 * MINUTE)
    same((await store.due({ agents: ['desk'], limit: 9 })).conversations, [at('c')], 'due')
    const newEpoch = await store.takeOver(at('c'), 'next')
    holds(newEpoch !== undefined && newEpoch > epoch, 'the next node takes over')
    await sameLog(store, at('c'), [first])
  },

  'other handles continue when one dies or is closed': async ({ store, another, kill, close }) => {
    const [dying, closing] = [await another(), await another()]
    for (const handle of [dying, closing]) {
      const [seq = 0] = await handle.heads([at('c')])
      await written(handle, draft('c', seq))
    }
    await kill(dying)
    await written(store, draft('c', 2))
    await close(closing)
    await written(store, draft('c', 3))
    same((await logOf(await another(), at('c'))).length, 4, 'the length of the log')
  },
}

/** One record of every kind that a store keeps. */
async function story(store: Store, wakeAt: number): Promise<{ readonly writes: Append[]; readonly epoch: number }> {
  await store.beat('a', MINUTE)
  const open = [hold('x', { seqs: [2] }), hold('y', { open: false, seqs: [2, 3] })]
  const writes = [
    draft('c', 0, { status: 'running', node: 'a', key: 'k' }),
    draft('c', 1, { many: 3, status: 'running', base: { kept: true } }),
    draft('c', 4, { many: 2, status: 'running', wakeAt, holds: open, at: NOON + 1 }),
  ]
  const [first] = await Promise.all(writes.slice(0, 1).map((write) => written(store, write)))
  for (const write of writes.slice(1)) await written(store, write)
  return { writes, epoch: first?.epoch ?? -1 }
}

async function sameStory(store: Store, writes: readonly Append[], wakeAt: number, epoch: number): Promise<void> {
  const log = writes.flatMap(logged)
  await sameLog(store, at('c'), writes)
  const loaded = { seq: 6, agent: 'desk', base: { seq: 4, state: { kept: true } }, events: log.slice(4) }
  same(await loadedFrom(store, at('c')), loaded, 'load')
  same(
    (await store.pending({ tenant: '', limit: 9 })).items.map(({ callId }) => callId),
    ['x'],
    'pending',
  )
  same(await store.readCall(at('c'), 'y'), [log[1], log[2]], 'a call')
  const row = { id: 'c', agent: 'desk', status: 'running', seq: 6, createdAt: NOON, updatedAt: NOON + 1 }
  same((await store.list({ tenant: '', limit: 9 })).items, [row], 'list')
  await store.beat('a', MINUTE)
  same(await store.due({ agents: ['desk'], limit: 9 }), { conversations: [], next: wakeAt }, 'due, its owner back')
  same(await store.append(draft('c', 6, { key: 'k' })), { result: 'repeated', seq: 1 }, 'the key')
  same(await store.findKey(at('c'), 'k'), 1, 'the seq of the key')
  for (const write of writes) same((await written(store, write)).events, logged(write), 'a write given again')
  same(await store.append(draft('c', 6, { epoch: epoch + 1 })), { result: 'fenced' }, 'a wrong epoch')
  await written(store, draft('c', 6, { epoch }))
}

/** Starts thirty writes without awaiting them, and then drops the handle. Every result that came must be true. */
async function underWay(store: Store, going: Store, go: (handle: Store) => Promise<void>): Promise<void> {
  await written(going, draft('warm', 0))
  const writes = Array.from({ length: 30 }, (_, n) => draft(`c${n}`, 0, { many: 3, base: n, holds: [hold(`x${n}`)] }))
  const answers: (Appended | undefined)[] = writes.map(() => undefined)
  const answering = writes.map(async (write, n) => {
    // A write without an answer, or with an exception, may be written or not.
    answers[n] = await going.append(write).catch(() => undefined)
  })
  await new Promise((resolve) => setImmediate(resolve))
  await go(going)
  // A crashed handle gives no more answers; a closed one has given all of them, or does so now.
  await Promise.race([Promise.all(answering), new Promise((resolve) => setTimeout(resolve, 200))])

  for (const [n, write] of writes.entries()) {
    const result = answers[n]?.result
    // A server may still be working on the write. A load returns all of it or nothing.
    const there = await loadedFrom(store, write.to)
    const whole = { seq: 3, agent: 'desk', base: { seq: 3, state: n }, events: [] }
    if (there) same(there, whole, `what there is of ${write.to.id}`)
    if (result === 'ok') holds(there !== undefined, `${write.to.id} was said to be written`)
    if (result === 'failed') holds(there === undefined, `${write.to.id} was said not to be written`)
    // A retry makes sure that it is written, once.
    same((await written(store, write)).events, logged(write), 'the write given again')
    await sameLog(store, write.to, [write])
    const { items } = await store.pending({ tenant: '', conversationId: write.to.id, limit: 9 })
    same(
      items.map(({ callId }) => callId),
      [`x${n}`],
      'what is pending',
    )
  }
}
