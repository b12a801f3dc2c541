/** Reads of a log: forward, backward, from the newest base, and of one call. */
import type { Append, LogEvent, Store } from '@holdpoint/core'
import { at, draft, hold, loadedFrom, logged, logOf, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

export const loadCases: Cases = {
  'a conversation without events cannot be loaded': async ({ store }) => {
    await written(store, draft('other', 0))
    same(await loadedFrom(store, at('c')), undefined, 'load')
  },

  'without a base, everything is loaded': async ({ store }) => {
    const writes = await batches(store, [1, 3, 2])
    same(await loadedFrom(store, at('c')), { seq: 6, agent: 'desk', events: writes.flatMap(logged) }, 'load')
  },

  'a base is the state after the last event it came with': async ({ store }) => {
    await written(store, draft('c', 0, { many: 3, base: { n: 3 } }))
    same(
      await loadedFrom(store, at('c')),
      { seq: 3, agent: 'desk', base: { seq: 3, state: { n: 3 } }, events: [] },
      'load',
    )
  },

  'with a base, only the events after it are loaded': async ({ store, another }) => {
    await written(store, draft('c', 0, { many: 3 }))
    await written(store, draft('c', 3, { many: 2, base: { n: 5 } }))
    const after = [draft('c', 5, { many: 2 }), draft('c', 7)]
    for (const write of after) await written(store, write)
    const expected = { seq: 8, agent: 'desk', base: { seq: 5, state: { n: 5 } }, events: after.flatMap(logged) }
    for (const handle of [store, await another()]) same(await loadedFrom(handle, at('c')), expected, 'load')
  },

  'the newest base replaces the one before': async ({ store }) => {
    for (let seq = 0; seq < 5; seq++) await written(store, draft('c', seq, { base: `state ${seq + 1}` }))
    const last = draft('c', 5)
    await written(store, last)
    const expected = { seq: 6, agent: 'desk', base: { seq: 5, state: 'state 5' }, events: logged(last) }
    same(await loadedFrom(store, at('c')), expected, 'load')
  },

  'any JSON can be a base: null, false, an empty list': async ({ store }) => {
    for (const [seq, base] of [null, false, 0, '', [], {}].entries()) {
      await written(store, draft('c', seq, { base }))
      const loaded = await store.load(at('c'))
      holds(loaded?.base !== undefined, `${JSON.stringify(base)} is a base`)
      same(loaded.base, { seq: seq + 1, state: base }, 'the base')
    }
  },
}

export const readCases: Cases = {
  'reading continues after the given seq, even in the middle of an append': async ({ store }) => {
    const log = (await batches(store, [2, 5, 1, 3])).flatMap(logged)
    for (let after = 0; after <= 12; after++) {
      const [first, ...rest] = await store.read(at('c'), after)
      same(first, log[after], `the first event after ${after}`)
      same(rest, log.slice(after + 1, after + 1 + rest.length), `the events that follow it`)
    }
  },

  'reading stops at the limit, but returns at least one event': async ({ store }) => {
    const log = (await batches(store, [2, 5, 1, 3])).flatMap(logged)
    for (let after = 0; after < 11; after++) {
      for (const limit of [1, 2, 3, 100]) {
        const read = await store.read(at('c'), after, limit)
        holds(read.length >= 1 && read.length <= limit, `1 to ${limit} events after ${after}, not ${read.length}`)
        same(read, log.slice(after, after + read.length), `the events after ${after}`)
      }
    }
  },

  'paging through a log finds everything once, whatever the size of the page': async ({ store }) => {
    const writes = await batches(store, [1, 7, 2, 30, 1, 1, 4, 100, 3])
    for (const limit of [1, 2, 3, 10, 64, undefined]) {
      same(await logOf(store, at('c'), limit), writes.flatMap(logged), `all of it, by ${limit}`)
    }
  },

  'reading a conversation without events finds nothing': async ({ store }) => {
    await written(store, draft('other', 0))
    same(await store.read(at('c'), 0), [], 'read')
    same(await store.readBack(at('c'), 9, 9), [], 'readBack')
    same(await store.readCall(at('c'), 'call'), [], 'readCall')
  },

  'reading back ends right before the given seq, with at least as many as asked for': async ({ store }) => {
    const log = (await batches(store, [2, 5, 1, 3])).flatMap(logged)
    for (let before = 1; before <= 12; before++) {
      for (const limit of [1, 2, 3, 100]) {
        await readsBack(store, log, before, limit)
      }
    }
  },

  'reading back from beyond the end returns the last events': async ({ store }) => {
    const log = (await batches(store, [2, 5, 1, 3])).flatMap(logged)
    for (const before of [13, 14, 1000, Number.MAX_SAFE_INTEGER]) {
      for (const limit of [1, 3, 100]) await readsBack(store, log, before, limit)
    }
  },

  'paging back through a log finds everything once': async ({ store }) => {
    const writes = await batches(store, [1, 7, 2, 30, 1, 1, 4])
    for (const limit of [1, 2, 3, 10]) {
      const log: LogEvent[] = []
      for (let before = 47; before > 1; before = log[0]?.seq ?? 0) {
        const page = await store.readBack(at('c'), before, limit)
        same(page.at(-1)?.seq, before - 1, `the seq of the last event before ${before}`)
        log.unshift(...page)
      }
      same(log, writes.flatMap(logged), `all of it, by ${limit}`)
    }
  },

  'an append of another handle is read at once': async ({ store, another }) => {
    const other = await another()
    const writes: Append[] = []
    for (let seq = 0; seq < 20; seq++) {
      const write = draft('c', seq, { base: seq })
      writes.push(write)
      const [writer, reader] = seq % 2 ? [store, other] : [other, store]
      await written(writer, write)
      same(await reader.read(at('c'), seq), logged(write), 'read')
      same((await reader.load(at('c')))?.base?.state, seq, 'load')
      same(await reader.heads([at('c')]), [seq + 1], 'heads')
      await sameLog(reader, at('c'), writes)
    }
  },
}

export const callCases: Cases = {
  'the events of a call are read, wherever they are in the log': async ({ store }) => {
    const first = draft('c', 0, { many: 3, holds: [hold('x', { seqs: [2, 3] }), hold('y', { seqs: [2] })] })
    const second = draft('c', 3, { many: 4, holds: [hold('x', { seqs: [2, 3, 5, 7], open: false })] })
    for (const write of [first, second]) await written(store, write)
    const log = [first, second].flatMap(logged)
    const seqs = (...picked: number[]): unknown => picked.map((seq) => log[seq - 1])
    same(await store.readCall(at('c'), 'x'), seqs(2, 3, 5, 7), 'the closed call')
    same(await store.readCall(at('c'), 'y'), seqs(2), 'the open call')
  },

  'a call that was never held has no events to read': async ({ store }) => {
    const events = [{ type: 'call.started', callId: 'ran', attempt: 1 } as const]
    await written(store, draft('c', 0, { events, holds: [hold('held', { seqs: [1] })] }))
    for (const callId of ['ran', 'unknown', '', 'HELD']) same(await store.readCall(at('c'), callId), [], callId)
  },

  'the same call id in another conversation is another call': async ({ store }) => {
    const writes = ['c', 'd'].map((id) =>
      draft(id, 0, { many: 2, holds: [hold('x', { seqs: id === 'c' ? [1] : [2] })] }),
    )
    for (const write of writes) await written(store, write)
    for (const [index, write] of writes.entries()) {
      same(await store.readCall(write.to, 'x'), [logged(write)[index]], write.to.id)
    }
  },

  'a call is found by its id alone, open or closed, in its own tenant': async ({ store, another }) => {
    const other = await another()
    const later = draft('d', 0, { many: 2, holds: [hold('y', { seqs: [1] }), hold('both', { seqs: [2] })] })
    for (const write of [
      draft('c', 0, { many: 2, holds: [hold('x', { seqs: [1] }), hold('both', { seqs: [2] })] }),
      draft('c', 2, { holds: [hold('x', { seqs: [1, 3], open: false })] }),
      later,
      { ...draft('e', 0, { holds: [hold('z', { seqs: [1] }), hold('x', { seqs: [1] })] }), to: at('e', 'acme') },
      draft('f', 0, { holds: [hold('both', { seqs: [1] })] }),
    ])
      await written(store, write)
    same(await other.findCall('', 'x'), ['c'], 'the closed call')
    same(await other.findCall('', 'y'), ['d'], 'the open call')
    same(await other.findCall('', 'both'), ['c', 'd'], 'a call that is in three')
    same(await other.findCall('', 'z'), [], 'a call of another tenant')
    same(await other.findCall('acme', 'x'), ['e'], 'in that tenant')
    for (const callId of ['unknown', '', 'X']) same(await other.findCall('', callId), [], callId)
  },

  'a call that is closed in its first append can be read': async ({ store }) => {
    const write = draft('c', 0, { many: 2, holds: [hold('x', { open: false, seqs: [1, 2] })] })
    await written(store, write)
    same(await store.readCall(at('c'), 'x'), logged(write), 'the call')
    same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
  },
}

export const headCases: Cases = {
  'heads are returned in the order of the query, 0 for a conversation without events': async ({ store, another }) => {
    for (const [id, many] of [
      ['a', 3],
      ['b', 1],
    ] as const)
      await written(store, draft(id, 0, { many }))
    await written(store, draft('a', 0, { many: 7, tenant: 'acme' }))
    const asked = [at('b'), at('unknown'), at('a', 'acme'), at('a'), at('b', 'acme'), at('b')]
    for (const handle of [store, await another()]) same(await handle.heads(asked), [1, 0, 7, 3, 0, 1], 'heads')
    same(await store.heads([]), [], 'heads of none')
  },

  'a query can ask for a thousand heads': async ({ store }) => {
    await written(store, draft('c500', 0, { many: 2 }))
    const asked = Array.from({ length: 1000 }, (_, n) => at(`c${n}`))
    same(
      await store.heads(asked),
      asked.map((_, n) => (n === 500 ? 2 : 0)),
      'heads',
    )
  },
}

async function readsBack(store: Store, log: readonly LogEvent[], before: number, limit: number): Promise<void> {
  const there = Math.min(before - 1, log.length)
  const read = await store.readBack(at('c'), before, limit)
  const enough = Math.min(limit, there)
  holds(read.length >= enough, `at least ${enough} before ${before}, not ${read.length}`)
  same(read, log.slice(there - read.length, there), `the events before ${before}`)
}

/** Appends to `c`, one after the other, with these numbers of events. */
async function batches(store: Store, sizes: readonly number[]): Promise<Append[]> {
  const writes: Append[] = []
  let seq = 0
  for (const many of sizes) {
    const write = draft('c', seq, { many })
    await written(store, write)
    writes.push(write)
    seq += many
  }
  return writes
}
