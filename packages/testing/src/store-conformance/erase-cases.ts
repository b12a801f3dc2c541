/** Erasing a conversation: what it removes, what stays, and that it is an append like any other. */
import type { Append, LogEvent, Store } from '@holdpoint/core'
import { at, draft, hold, loadedFrom, logged, logOf, NOON, note, type Draft, written } from './drafts.ts'
import { same } from './expect.ts'
import type { Cases } from './scene.ts'

/** The text that must be gone. */
const SECRET = 'the secret'

export const eraseCases: Cases = {
  'an erased conversation has only the events of the erasure': async ({ store, another }) => {
    const head = await story(store)
    const write = erasure(head)
    same((await written(store, write)).events, logged(write), 'the answer')
    for (const handle of [store, await another()]) await isErased(handle, logged(write), head + 1)
  },

  'an erasure keeps only the base of its own append': async ({ store }) => {
    for (const base of ['new', undefined]) {
      const id = `with ${base}`
      const head = await story(store, id)
      const write = erasure(head, { base }, id)
      await written(store, write)
      const loaded = await store.load(at(id))
      same(loaded?.base, base && { seq: head + 1, state: base }, 'the base')
      same(loaded?.events, base === undefined ? logged(write) : [], 'the events after the base')
      same(loaded?.seq, head + 1, 'the seq')
    }
  },

  'an erasure keeps the rows of its own append': async ({ store }) => {
    const head = await story(store)
    const rows = {
      labels: ['bob'],
      status: 'held',
      holds: [hold('own', { labels: ['eve'], seqs: [head + 1] })],
    } as const
    const write = erasure(head, { ...rows, key: 'own' })
    await written(store, write)
    same(await store.findKey(at('c'), 'own'), head + 1, 'its key')
    same(await store.readCall(at('c'), 'own'), logged(write), 'the events of its call')
    same(await counts(store, { labels: ['bob'] }), [1, 1, 1], 'its labels')
    same(await counts(store, { labels: ['ada'] }), [1, 1, 0], 'the old labels')
    const { items } = await store.pending({
      tenant: '',
      limit: 9,
      any: { labels: ['eve'], conversationLabels: ['bob'] },
    })
    same(
      items.map(({ callId }) => callId),
      ['own'],
      'its hold',
    )
  },

  'an erasure is refused, repeated and fenced like any append': async ({ store }) => {
    const head = await story(store)
    same((await store.append(erasure(head - 1))).result, 'conflict', 'behind')
    same((await store.append(erasure(head + 1))).result, 'conflict', 'ahead')
    same((await store.append(erasure(head, { epoch: 7 }))).result, 'fenced', 'under a wrong epoch')
    same(await store.append(erasure(head, { key: 'first' })), { result: 'repeated', seq: 2 }, 'with a used key')
    same((await logOf(store, at('c'))).length, head, 'the log after all that')
    const write = erasure(head)
    for (const _ of [1, 2, 3]) same((await written(store, write)).events, logged(write), 'the events')
    same((await store.append(erasure(head))).result, 'conflict', 'by another write')
    same(await store.heads([at('c')]), [head + 1], 'the head')
  },

  'an append from before an erasure is a conflict when it is repeated': async ({ store }) => {
    const writes = [draft('c', 0, { key: 'k' }), draft('c', 1, { many: 2 }), draft('c', 3)]
    for (const write of writes) await written(store, write)
    await written(store, erasure(4, { mark: 'erased' }))
    for (const write of writes) same((await store.append(write)).result, 'conflict', `after ${write.expectedSeq}`)
    same(
      (await store.append(erasure(0, { mark: 'erased' }))).result,
      'conflict',
      'the mark of the erasure at another place',
    )
    same(await store.heads([at('c')]), [5], 'the head')
  },

  'an erased conversation takes appends as before': async ({ store, another }) => {
    const head = await story(store)
    const write = erasure(head)
    await written(store, write)
    const [more, last] = [
      draft('c', head + 1, { key: 'first', many: 2, labels: ['ada'] }),
      draft('c', head + 3, { base: 1 }),
    ]
    await written(store, more)
    await written(store, last)
    same((await written(store, more)).events, logged(more), 'the answer to the first, given again')
    same((await written(store, write)).events, logged(write), 'the answer to the erasure, given again')
    for (const handle of [store, await another()]) {
      same(await handle.read(at('c'), 0), [write, more, last].flatMap(logged), 'the log')
      same(await handle.read(at('c'), head + 2, 1), logged(more).slice(1), 'in its middle')
      same(
        await handle.readBack(at('c'), head + 3, 9),
        [...logged(write), ...logged(more)].slice(0, 2),
        'back from its middle',
      )
      same(await handle.findKey(at('c'), 'first'), head + 3, 'the key that is used again')
      same(
        (await handle.list({ tenant: '', limit: 9, labels: ['ada'] })).items.length,
        1,
        'the label that is given again',
      )
    }
  },

  'no other conversation loses anything': async ({ store }) => {
    const others = [at('d'), at('c', 'acme')]
    for (const { id, tenant } of others) await story(store, id, tenant)
    const before = await Promise.all(others.map(({ id, tenant }) => everything(store, id, tenant)))
    await written(store, erasure(await story(store)))
    same(
      await Promise.all(others.map(({ id, tenant }) => everything(store, id, tenant))),
      before,
      'what the others have',
    )
  },

  'a conversation can begin with an erasure, and be erased twice': async ({ store }) => {
    const [first, second] = [erasure(0), erasure(1)]
    await written(store, first)
    same(await store.read(at('c'), 0), logged(first), 'the log')
    await written(store, second)
    same(await store.read(at('c'), 0), logged(second), 'the log, erased once more')
    same((await store.append(first)).result, 'conflict', 'the first erasure, given again')
  },

  'long logs are erased completely': async ({ store }) => {
    for (let seq = 0; seq < 600; seq += 5) await written(store, draft('c', seq, { many: 5, base: `base ${seq}` }))
    const write = erasure(600)
    await written(store, write)
    same(await store.read(at('c'), 0), logged(write), 'the log')
    same(await store.readBack(at('c'), 602, 1000), logged(write), 'the log, back from its end')
    same(await store.readBack(at('c'), 601, 1000), [], 'the log, back from the erasure')
    same(await store.readBack(at('c'), 300, 10), [], 'the log, back from its old middle')
  },

  'a note that is written while its conversation is erased does not stay': async ({ store, another }) => {
    const other = await another()
    for (let n = 0; n < 10; n++) {
      const id = `c${n}`
      await written(store, draft(id, 0))
      const noted = (seq: number): Promise<void> => other.note(at(id), { kind: 'summary', seq, at: NOON, data: SECRET })
      await Promise.all([noted(1), written(store, erasure(1, { hidden: true }, id)), noted(2), noted(3)])
      same(await store.notes(at(id), { kind: 'summary', limit: 9 }), [], `the notes of ${id}`)
    }
  },

  'erased content is gone after the handle died': async ({ store, another, kill }) => {
    const head = await story(store)
    const write = erasure(head)
    await written(store, write)
    await kill(store)
    await isErased(await another(), logged(write), head + 1)
  },
}

/** Writes a conversation with data of every kind. Call `x` is held, call `y` no longer. Returns the last seq. */
async function story(store: Store, id = 'c', tenant = ''): Promise<number> {
  const given = { tenant, status: 'held', labels: ['ada'], base: SECRET } as const
  await written(store, draft(id, 0, { tenant, many: 2, key: 'first', events: [note(SECRET), note(SECRET)] }))
  const rows = [hold('x', { labels: ['ada'] }), hold('y', { seqs: [1, 3] })]
  await written(store, draft(id, 2, { ...given, many: 2, holds: rows }))
  await written(store, draft(id, 4, { ...given, key: 'last', holds: [hold('y', { open: false, seqs: [1, 3] })] }))
  for (const seq of [1, 3]) await store.note(at(id, tenant), { kind: 'summary', seq, at: NOON, data: SECRET })
  return 5
}

function erasure(expectedSeq: number, given: Draft = {}, id = 'c'): Append {
  return draft(id, expectedSeq, { events: [note('erased')], erase: true, ...given })
}

async function isErased(store: Store, events: readonly LogEvent[], head: number): Promise<void> {
  same(await store.heads([at('c')]), [head], 'the head')
  same(await loadedFrom(store, at('c')), { seq: head, agent: 'desk', base: undefined, events }, 'what is loaded')
  const around = [0, 1, head - 2, head - 1].map((after) => store.read(at('c'), after, 1))
  same(await Promise.all(around), [events, events, events, events], 'what is read')
  same(await store.read(at('c'), head), [], 'what is read after the end')
  same(await store.readBack(at('c'), head + 1, 9), events, 'what is read back')
  for (const before of [1, 3, head]) same(await store.readBack(at('c'), before, 9), [], `read back from ${before}`)
  for (const callId of ['x', 'y']) {
    same(await store.readCall(at('c'), callId), [], `the events of ${callId}`)
    same(await store.findCall('', callId), [], `where ${callId} is`)
  }
  for (const key of ['first', 'last']) same(await store.findKey(at('c'), key), undefined, `the key ${key}`)
  same(await store.notes(at('c'), { kind: 'summary', limit: 9 }), [], 'the notes')
  same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
  same(await counts(store, { labels: ['ada'] }), [1, 0, 0], 'how many are listed, pending, and listed by label')
}

async function counts(store: Store, { labels }: { readonly labels: readonly string[] }): Promise<readonly number[]> {
  const listed = (await store.list({ tenant: '', limit: 9 })).items.length
  const waiting = (await store.pending({ tenant: '', limit: 9 })).items.length
  return [listed, waiting, (await store.list({ tenant: '', limit: 9, labels })).items.length]
}

async function everything(store: Store, id: string, tenant: string): Promise<unknown> {
  const from = at(id, tenant)
  const any = { labels: ['ada'], conversationLabels: ['ada'] }
  return [
    await store.read(from, 0),
    await store.load(from),
    await store.readCall(from, 'y'),
    await store.findKey(from, 'first'),
    await store.notes(from, { kind: 'summary', limit: 9 }),
    await store.pending({ tenant, conversationId: id, limit: 9, any }),
  ]
}
