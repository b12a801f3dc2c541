/** A store in memory, for tests and for sessions that are saved as JSON. */
import { HoldpointError } from '../failure.ts'
import { sha256 } from '../sha256.ts'
import { encodeBatch, logged, type Batch } from './batch.ts'
import { appendText, NO_HASH } from './chain.ts'
import type { LogEvent, NewEvent } from './log-event.ts'
import { create, headOf, newestOf, type Conversation } from './memory-conversation.ts'
import { memoryDocuments, type MemoryDocuments } from './memory-documents.ts'
import { memoryFiles } from './memory-files.ts'
import { memoryPages } from './memory-pages.ts'
import type { Address, Append, Appended, Note, Store } from './store.ts'

export interface MemoryStoreOptions {
  /** The store's clock, for leases, deadlines and expiry. It must advance: with a clock that stands still, no wait ends. */
  readonly now: () => number
  /** `false`: hashes are not computed, and each is `NO_HASH`. For a store that only one log in this process uses. */
  readonly chain?: false
  /** The first content: a saved session, under its id. */
  readonly log?: { readonly id: string; readonly events: readonly LogEvent[]; readonly notes?: readonly Note[] }
}

export function memoryStore(options: MemoryStoreOptions): Store {
  const { now, log, chain = true } = (options as MemoryStoreOptions | undefined) ?? {}
  if (typeof now !== 'function')
    throw new HoldpointError(
      'config-invalid',
      'memoryStore() needs a clock: memoryStore({ now: Date.now }), or `now` of the manual clock in a test.',
    )
  const all = new Map<string, Conversation>()
  if (log) {
    const address = { tenant: '', id: log.id }
    const there = { ...create(address, 0, 0), events: [...log.events], notes: log.notes ?? [] }
    const events = log.events.map(({ seq: _seq, ...event }): NewEvent => event)
    if (events.length > 0) there.writes.set(events.length, { at: 0, events, hash: NO_HASH })
    all.set(keyOf(address), there)
  }
  const nodes = new Map<string, number>()
  const documents = memoryDocuments(now)
  const files = memoryFiles(now)
  const state: MemoryState = {
    all,
    nodes,
    now,
    listeners: new Set(),
    hash: (write) => (chain ? sha256(appendText(write, encodeBatch(write.events))) : NO_HASH),
    get: (address) => all.get(keyOf(address)),
    isAlive: (node) => node !== undefined && (nodes.get(node) ?? -Infinity) > now(),
  }
  return {
    append: async (write) => append(state, write),
    ...reads(state),
    ...memoryPages(() => [...all.values()]),
    ...notes(state, documents),
    put: async (put) => documents.put(put),
    get: async (tenant, kind, id) => documents.get(tenant, kind, id),
    documents: async (query) => documents.documents(query),
    files: () => files,
    ...ownership(state),
    listen: (changed) => {
      state.listeners.add(changed)
      return () => state.listeners.delete(changed)
    },
    inspect: async () => [],
    close: async () => {},
  }
}

interface MemoryState {
  readonly all: Map<string, Conversation>
  /** The end of each node's lease. */
  readonly nodes: Map<string, number>
  readonly listeners: Set<Parameters<Store['listen']>[0]>
  now(): number
  hash(write: Append): string
  get(address: Address): Conversation | undefined
  isAlive(node: string | undefined): boolean
}

function append(state: MemoryState, write: Append): Appended {
  const { all, listeners, get, isAlive } = state
  const { to, expectedSeq, events, at, rows, node } = write
  const there = get(to) ?? create(to, all.size, at)
  const newest = newestOf(there)
  const repeated = write.key === undefined ? undefined : there.keys.get(write.key)
  const owned = (): boolean => node !== undefined && there.owner === node
  if (newest.seq !== expectedSeq || newest.hash !== write.follows) {
    const mine = there.marks.get(expectedSeq + 1) === write.mark
    if (!mine) return repeated === undefined ? { result: 'conflict' } : { result: 'repeated', seq: repeated }
    const from = expectedSeq - there.erased
    const written = there.events.slice(from, from + events.length)
    const hash = there.writes.get(expectedSeq + events.length)?.hash ?? NO_HASH
    return { result: 'ok', events: written, hash, epoch: there.epoch, owned: owned() }
  }
  if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }
  // A store that lost a takeover may give its epoch out again, to another node.
  if (write.epoch !== undefined && node !== undefined && !owned()) return { result: 'fenced' }
  if (repeated !== undefined) return { result: 'repeated', seq: repeated }

  const written = events.map((event, index) => logged(event, expectedSeq + index + 1, at))
  if (write.epoch === undefined && node !== undefined && rows.status === 'running') {
    if (there.status !== 'running' || !isAlive(there.owner)) {
      there.owner = node
      there.epoch++
    }
  }
  all.set(keyOf(to), there)
  if (write.erase) erase(there)
  there.events.push(...written)
  there.marks.set(expectedSeq + 1, write.mark)
  const head = headOf(there)
  const hash = state.hash(write)
  there.writes.set(head, { at, events, hash })
  if (write.key !== undefined) there.keys.set(write.key, head)
  there.agent = rows.agent
  there.status = rows.status
  there.wakeAt = rows.wakeAt
  there.updatedAt = at
  if (rows.base !== undefined) there.base = { seq: head, state: rows.base }
  if (rows.labels) there.labels = rows.labels
  there.hidden = rows.hidden ?? false
  for (const row of rows.holds) there.holds.set(row.callId, row)
  const left = write.epoch === undefined && rows.status === 'running' && !isAlive(there.owner)
  for (const listener of listeners) listener(to, head, left)
  return { result: 'ok', events: written, hash, epoch: there.epoch, owned: owned() }
}

/** As other stores keep them. */
function batchesOf({ writes }: Conversation): readonly Batch[] {
  return Array.from(writes, ([seq, { at, events, hash }]) => ({ seq, at, events: encodeBatch(events), hash }))
}

function erase(there: Conversation): void {
  there.erased = headOf(there)
  there.events.length = 0
  for (const map of [there.writes, there.marks, there.keys, there.holds]) map.clear()
  there.notes = []
  there.labels = []
  there.base = undefined
}

function reads({
  all,
  get,
}: MemoryState): Pick<
  Store,
  'load' | 'follow' | 'batches' | 'read' | 'readBack' | 'readCall' | 'findCall' | 'findKey' | 'heads'
> {
  return {
    load: async (from) => {
      const there = get(from)
      if (!there) return undefined
      const { agent, base, events } = there
      const after = Math.max(0, (base?.seq ?? 0) - there.erased)
      return { ...newestOf(there), agent, base, events: events.slice(after) }
    },
    follow: async (from, head) => {
      const there = get(from)
      const { seq, hash } = head
      if (!there) return seq === 0 ? { events: [], head } : undefined
      // Every head before the tombstone is followed by it.
      if (seq > there.erased && (there.writes.get(seq)?.hash ?? NO_HASH) !== hash) return undefined
      if (seq > headOf(there)) return undefined
      return { events: there.events.slice(Math.max(0, seq - there.erased)), head: newestOf(there) }
    },
    batches: async (from, after, limit) => {
      const there = get(from)
      if (!there) return []
      return batchesOf(there)
        .filter(({ seq }) => seq > after)
        .slice(0, limit)
    },
    read: async (from, after, limit = Infinity) => {
      const { events = [], erased = 0 } = get(from) ?? {}
      const start = Math.max(0, after - erased)
      return events.slice(start, start + limit)
    },
    readBack: async (from, before, limit) => {
      const { events = [], erased = 0 } = get(from) ?? {}
      const end = Math.min(before - 1 - erased, events.length)
      return events.slice(Math.max(0, end - limit), Math.max(0, end))
    },
    readCall: async (from, callId) => {
      const there = get(from)
      return there?.holds.get(callId)?.seqs.flatMap((seq) => there.events[seq - 1 - there.erased] ?? []) ?? []
    },
    findCall: async (tenant, callId) => {
      const having = [...all.values()].filter(({ address, holds }) => address.tenant === tenant && holds.has(callId))
      return having
        .toSorted((a, b) => a.nth - b.nth)
        .slice(0, 2)
        .map(({ address }) => address.id)
    },
    findKey: async (from, key) => get(from)?.keys.get(key),
    heads: async (of) =>
      of.map((address) => {
        const there = get(address)
        return there ? headOf(there) : 0
      }),
  }
}

function notes({ all, get, now }: MemoryState, documents: MemoryDocuments): Pick<Store, 'note' | 'notes' | 'sweep'> {
  const isOver = ({ until = Infinity }: Note): boolean => until <= now()
  return {
    note: async (to, note) => {
      const there = get(to)
      if (!there || there.hidden) return
      const others = there.notes.filter(({ kind, seq }) => kind !== note.kind || seq !== note.seq)
      there.notes = [...others, note].toSorted((a, b) => b.seq - a.seq)
    },
    notes: async (from, { kind, before = Infinity, limit }) =>
      (get(from)?.notes ?? [])
        .filter((note) => note.kind === kind && note.seq < before && !isOver(note))
        .slice(0, limit),
    sweep: async (limit) => {
      let removed = 0
      for (const there of all.values()) {
        const kept = there.notes.filter((note) => !isOver(note) || ++removed > limit)
        there.notes = kept
      }
      const swept = Math.min(removed, limit)
      return swept + documents.sweep(limit - swept)
    },
  }
}

function ownership({ all, nodes, now, get, isAlive }: MemoryState): Pick<Store, 'beat' | 'leave' | 'due' | 'takeOver'> {
  return {
    beat: async (node, ttlMs) => {
      nodes.set(node, now() + ttlMs)
      return now()
    },
    leave: async (node) => {
      nodes.delete(node)
    },
    due: async ({ agents, limit }) => {
      const ours = [...all.values()].filter(({ agent }) => agents?.includes(agent) ?? true)
      const due = ours.filter(
        ({ status, owner, wakeAt = Infinity }) => wakeAt <= now() || (status === 'running' && !isAlive(owner)),
      )
      const waiting = ours.flatMap(({ wakeAt }) => (wakeAt !== undefined && wakeAt > now() ? [wakeAt] : []))
      return {
        conversations: due.slice(0, limit).map(({ address }) => address),
        next: waiting.length > 0 ? Math.min(...waiting) : undefined,
      }
    },
    takeOver: async (what, node) => {
      const there = get(what)
      if (there?.status !== 'running') return undefined
      if (there.owner === node) return there.epoch
      if (isAlive(there.owner)) return undefined
      there.owner = node
      return ++there.epoch
    },
  }
}

function keyOf({ tenant, id }: Address): string {
  return JSON.stringify([tenant, id])
}
