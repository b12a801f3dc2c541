/** An append writes everything or nothing, at the seq that its writer decided on. */
import { at, draft, hold, logOf, logged, NOON, note, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

export const appendCases: Cases = {
  'the first append creates the conversation, and returns its events': async ({ store }) => {
    const write = draft('c', 0)
    const { events, owned } = await written(store, write)
    same(events, logged(write), 'the answer')
    same(owned, false, 'owned, though no node was named')
    await sameLog(store, at('c'), [write])
  },

  'an append after the last seq continues the log': async ({ store }) => {
    const writes = [draft('c', 0, { many: 2 }), draft('c', 2), draft('c', 3, { many: 3 })]
    for (const write of writes) same((await written(store, write)).events, logged(write), 'the answer')
    await sameLog(store, at('c'), writes)
  },

  'an event with a time of its own keeps it, and the others have the time of the append': async ({ store }) => {
    const write = draft('c', 0, { events: [{ ...note('early'), at: NOON - 5000 }, note('now')] })
    const events = [
      { ...note('early'), seq: 1, at: NOON - 5000 },
      { ...note('now'), seq: 2, at: NOON },
    ]
    same((await written(store, write)).events, events, 'the answer')
    same(await logOf(store, at('c')), events, 'the log')
    same((await written(store, write)).events, events, 'the answer to the repeated append')
  },

  'an append below the last seq is a conflict': async ({ store }) => {
    const first = draft('c', 0, { many: 3 })
    await written(store, first)
    for (const seq of [0, 1, 2]) same(await store.append(draft('c', seq)), { result: 'conflict' }, `after ${seq} of 3`)
    await sameLog(store, at('c'), [first])
  },

  'an append beyond the last seq is a conflict': async ({ store }) => {
    const first = draft('c', 0)
    await written(store, first)
    same(await store.append(draft('c', 2)), { result: 'conflict' }, 'after 2 of 1')
    same(await store.append(draft('new', 1)), { result: 'conflict' }, 'after 1 of 0')
    await sameLog(store, at('c'), [first])
  },

  'a conflict writes no event and no row': async ({ store }) => {
    const first = draft('c', 0, { many: 2, base: 'first', holds: [hold('call')], status: 'held' })
    await written(store, first)
    const rows = { agent: 'other', status: 'running', wakeAt: 1, base: 'second' } as const
    const late = draft('c', 1, { ...rows, many: 3, at: NOON + 1, holds: [hold('call', { open: false }), hold('more')] })
    same(await store.append(late), { result: 'conflict' }, 'the second append')

    await sameLog(store, at('c'), [first])
    const { items } = await store.list({ tenant: '', limit: 9 })
    const row = { id: 'c', agent: 'desk', status: 'held', seq: 2, createdAt: NOON, updatedAt: NOON }
    same(items, [row], 'the row of the conversation')
    const pending = await store.pending({ tenant: '', limit: 9 })
    same(
      pending.items.map(({ callId }) => callId),
      ['call'],
      'what is pending',
    )
    same((await store.load(at('c')))?.base, { seq: 2, state: 'first' }, 'the base')
    same((await store.due({ agents: ['desk', 'other'], limit: 9 })).conversations, [], 'what is due')
  },

  'a conflict creates no conversation': async ({ store }) => {
    await store.append(draft('never', 1, { holds: [hold('call')] }))
    same(await store.load(at('never')), undefined, 'load')
    same(await store.heads([at('never')]), [0], 'heads')
    same((await store.list({ tenant: '', limit: 9 })).items, [], 'list')
    same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
    const write = draft('never', 0)
    await written(store, write)
    await sameLog(store, at('never'), [write])
  },

  'five hundred events of one append have consecutive seqs': async ({ store }) => {
    const write = draft('c', 0, { many: 500 })
    await written(store, write)
    same(
      (await logOf(store, at('c'))).map(({ seq }) => seq),
      Array.from({ length: 500 }, (_, n) => n + 1),
      'the seqs',
    )
    await sameLog(store, at('c'), [write])
  },

  'events are read back byte by byte, with the same order of keys': async ({ store, another }) => {
    const events = [note({ z: 1, a: { y: [], x: {} }, '10': 'ten', '9': 'nine' }), note('plain'), note(null)]
    await written(store, draft('c', 0, { events }))
    const read = await (await another()).read(at('c'), 0)
    const bodies = read.map(({ seq: _seq, at: _at, ...body }) => JSON.stringify(body))
    same(
      bodies,
      events.map((event) => JSON.stringify(event)),
      'the bodies',
    )
  },

  'the time of an event is the writer’s, even if time went back': async ({ store }) => {
    const times = [NOON, NOON - 1, 0, 8_640_000_000_000_000, 1]
    for (const [seq, time] of times.entries()) await written(store, draft('c', seq, { at: time }))
    same(
      (await logOf(store, at('c'))).map((event) => event.at),
      times,
      'the times',
    )
    const [row] = (await store.list({ tenant: '', limit: 1 })).items
    same([row?.createdAt, row?.updatedAt], [NOON, 1], 'created and updated')
  },

  'the rows beside the log are those of the newest append': async ({ store, now }) => {
    const soon = (await now()) - 1
    await written(store, draft('c', 0, { status: 'running', agent: 'first', wakeAt: soon }))
    await written(store, draft('c', 1, { status: 'held', agent: 'second', at: NOON + 5 }))
    const row = { id: 'c', agent: 'second', status: 'held', seq: 2, createdAt: NOON, updatedAt: NOON + 5 }
    same((await store.list({ tenant: '', limit: 9 })).items, [row], 'list')
    same((await store.load(at('c')))?.agent, 'second', 'the agent')
    same((await store.due({ agents: ['first', 'second'], limit: 9 })).conversations, [], 'due')
  },

  'what the store shows is confirmed, for a log and where there is none': async ({ store }) => {
    const write = draft('c', 0)
    await written(store, write)
    for (const id of ['c', 'none']) same(await store.confirm?.(at(id)), undefined, `the answer for ${id}`)
    await sameLog(store, at('c'), [write])
  },

  'the same id in two tenants is two conversations': async ({ store }) => {
    const ours = draft('c', 0, { tenant: 'acme', key: 'k', many: 2, base: 'ours', holds: [hold('call')] })
    const theirs = draft('c', 0, { tenant: 'globex', key: 'k', mark: ours.mark, status: 'running' })
    const ownerless = draft('c', 0, { key: 'k', mark: ours.mark })
    for (const write of [ours, theirs, ownerless]) {
      const { owned, events } = await written(store, write)
      same([owned, events], [false, logged(write)], `the answer to ${write.to.tenant}`)
    }
    for (const write of [ours, theirs, ownerless]) await sameLog(store, write.to, [write])
    same(await store.heads([theirs.to, ours.to, ownerless.to]), [1, 2, 1], 'heads')
    same((await store.load(theirs.to))?.base, undefined, 'the base of the other')
    same(await store.readCall(theirs.to, 'call'), [], 'the call in the other')
    same(await store.takeOver(ours.to, 'n'), undefined, 'taking over the one that rests')
    holds((await store.takeOver(theirs.to, 'n')) !== undefined, 'the one that runs can be taken over')
  },
}
