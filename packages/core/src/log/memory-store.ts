/** Keeps everything in this process: for tests, for sessions that are saved as JSON, and as the plainest store there is. */
import { HoldpointError } from '../failure.ts'
import { parseJson, type Json } from '../json.ts'
import type { LogEvent } from './log-event.ts'
import { memoryDocuments, type MemoryDocuments } from './memory-documents.ts'
import type { Address, Append, Appended, ConversationStatus, HoldRow, Note, Page, Store } from './store.ts'

interface Conversation {
  readonly address: Address
  /** Creation order, for lists. */
  readonly nth: number
  readonly createdAt: number
  readonly events: LogEvent[]
  /** By the seq of the first event of each write. */
  readonly marks: Map<number, string>
  readonly keys: Map<string, number>
  readonly holds: Map<string, HoldRow>
  notes: readonly Note[]
  agent: string
  status: ConversationStatus
  wakeAt: number | undefined
  base: { readonly seq: number; readonly state: Json } | undefined
  epoch: number
  owner: string | undefined
  updatedAt: number
}

export interface MemoryStoreOptions {
  /** The store's clock, asked for leases, deadlines and what is over. It must run: on a clock that stands, no wait ends. */
  readonly now: () => number
  /** What it holds at first: a saved session, under its id. */
  readonly log?: { readonly id: string; readonly events: readonly LogEvent[]; readonly notes?: readonly Note[] }
}

export function memoryStore(options: MemoryStoreOptions): Store {
  const { now, log } = (options as MemoryStoreOptions | undefined) ?? {}
  if (typeof now !== 'function')
    throw new HoldpointError(
      'config-invalid',
      'memoryStore() needs a clock: memoryStore({ now: Date.now }), or `now` of the manual clock in a test.',
    )
  const all = new Map<string, Conversation>()
  if (log) {
    const address = { tenant: '', id: log.id }
    all.set(keyOf(address), { ...create(address, 0, 0), events: [...log.events], notes: log.notes ?? [] })
  }
  const nodes = new Map<string, number>()
  const documents = memoryDocuments(now)
  const shelf: Shelf = {
    all,
    nodes,
    now,
    listeners: new Set(),
    get: (address) => all.get(keyOf(address)),
    lives: (node) => node !== undefined && (nodes.get(node) ?? -Infinity) > now(),
  }
  return {
    append: async (write) => append(shelf, write),
    ...reads(shelf),
    ...questions(shelf),
    ...notes(shelf, documents),
    put: async (put) => documents.put(put),
    get: async (tenant, kind, id) => documents.get(tenant, kind, id),
    documents: async (query) => documents.documents(query),
    ...ownership(shelf),
    listen: (changed) => {
      shelf.listeners.add(changed)
      return () => shelf.listeners.delete(changed)
    },
    close: async () => {},
  }
}

interface Shelf {
  readonly all: Map<string, Conversation>
  /** Until when each node is taken to live. */
  readonly nodes: Map<string, number>
  readonly listeners: Set<Parameters<Store['listen']>[0]>
  now(): number
  get(address: Address): Conversation | undefined
  lives(node: string | undefined): boolean
}

function append(shelf: Shelf, write: Append): Appended {
  const { all, listeners, get, lives } = shelf
  const { to, expectedSeq, events, at, rows, node } = write
  const there = get(to) ?? create(to, all.size, at)
  const repeated = write.key === undefined ? undefined : there.keys.get(write.key)
  const owned = (): boolean => node !== undefined && there.owner === node
  if (there.events.length !== expectedSeq) {
    const mine = there.marks.get(expectedSeq + 1) === write.mark
    if (!mine) return repeated === undefined ? { result: 'conflict' } : { result: 'repeated', seq: repeated }
    const written = there.events.slice(expectedSeq, expectedSeq + events.length)
    return { result: 'ok', events: written, epoch: there.epoch, owned: owned() }
  }
  if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }
  if (repeated !== undefined) return { result: 'repeated', seq: repeated }

  const written = events.map((event, index): LogEvent => ({ ...event, seq: expectedSeq + index + 1, at }))
  if (write.epoch === undefined && node !== undefined && rows.status === 'running') {
    if (there.status !== 'running' || !lives(there.owner)) {
      there.owner = node
      there.epoch++
    }
  }
  all.set(keyOf(to), there)
  there.events.push(...written)
  there.marks.set(expectedSeq + 1, write.mark)
  if (write.key !== undefined) there.keys.set(write.key, there.events.length)
  there.agent = rows.agent
  there.status = rows.status
  there.wakeAt = rows.wakeAt
  there.updatedAt = at
  if (rows.base !== undefined) there.base = { seq: there.events.length, state: rows.base }
  for (const row of rows.holds) there.holds.set(row.callId, row)
  const left = write.epoch === undefined && rows.status === 'running' && !lives(there.owner)
  for (const listener of listeners) listener(to, there.events.length, left)
  return { result: 'ok', events: written, epoch: there.epoch, owned: owned() }
}

function reads({
  all,
  get,
}: Shelf): Pick<Store, 'load' | 'read' | 'readBack' | 'readCall' | 'findCall' | 'findKey' | 'heads'> {
  return {
    load: async (from) => {
      const there = get(from)
      if (!there) return undefined
      const { agent, base, events } = there
      return { seq: events.length, agent, base, events: events.slice(base?.seq ?? 0) }
    },
    read: async (from, after, limit = Infinity) => get(from)?.events.slice(after, after + limit) ?? [],
    readBack: async (from, before, limit) => {
      const events = get(from)?.events ?? []
      const end = Math.min(before - 1, events.length)
      return events.slice(Math.max(0, end - limit), Math.max(0, end))
    },
    readCall: async (from, callId) => {
      const there = get(from)
      return there?.holds.get(callId)?.seqs.flatMap((seq) => there.events[seq - 1] ?? []) ?? []
    },
    findCall: async (tenant, callId) => {
      const having = [...all.values()].filter(({ address, holds }) => address.tenant === tenant && holds.has(callId))
      return having
        .toSorted((a, b) => a.nth - b.nth)
        .slice(0, 2)
        .map(({ address }) => address.id)
    },
    findKey: async (from, key) => get(from)?.keys.get(key),
    heads: async (of) => of.map((address) => get(address)?.events.length ?? 0),
  }
}

function notes({ all, get, now }: Shelf, documents: MemoryDocuments): Pick<Store, 'note' | 'notes' | 'sweep'> {
  const isOver = ({ until = Infinity }: Note): boolean => until <= now()
  return {
    note: async (to, note) => {
      const there = get(to)
      if (!there) return
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

function questions({ all }: Shelf): Pick<Store, 'pending' | 'list'> {
  return {
    pending: async (query) => {
      const { tenant, conversationId, callId, agent, tool, kind, expiresBefore = Infinity } = query
      const found = [...all.values()].flatMap((there) =>
        there.address.tenant !== tenant ||
        (conversationId ?? there.address.id) !== there.address.id ||
        (agent ?? there.agent) !== there.agent
          ? []
          : Array.from(there.holds.values(), (hold) => ({ there, hold })),
      )
      const open = found
        .filter(({ hold }) => hold.open && hold.expiresAt < expiresBefore)
        .filter(({ hold }) => (tool ?? hold.tool) === hold.tool && (kind ?? hold.kind) === hold.kind)
        .filter(({ hold }) => (callId ?? hold.callId) === hold.callId)
        .map(({ there, hold: { open: _open, seqs: _seqs, ...row } }) => ({
          sort: [row.heldAt, there.nth, row.callId] as const,
          item: { ...row, conversationId: there.address.id, agent: there.agent },
        }))
      return pageOf(open, query)
    },
    list: async (query) => {
      const { tenant, agent, status } = query
      const found = [...all.values()]
        .filter(({ address }) => address.tenant === tenant)
        .filter((there) => (agent ?? there.agent) === there.agent && (status ?? there.status) === there.status)
        .map((there) => {
          const { address, createdAt, updatedAt, events } = there
          const item = { id: address.id, agent: there.agent, status: there.status, seq: events.length }
          return { sort: [-there.nth, 0, ''] as const, item: { ...item, createdAt, updatedAt } }
        })
      return pageOf(found, query)
    },
  }
}

function ownership({ all, nodes, now, get, lives }: Shelf): Pick<Store, 'beat' | 'leave' | 'due' | 'claim'> {
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
        ({ status, owner, wakeAt = Infinity }) => wakeAt <= now() || (status === 'running' && !lives(owner)),
      )
      const waiting = ours.flatMap(({ wakeAt }) => (wakeAt !== undefined && wakeAt > now() ? [wakeAt] : []))
      return {
        conversations: due.slice(0, limit).map(({ address }) => address),
        next: waiting.length > 0 ? Math.min(...waiting) : undefined,
      }
    },
    claim: async (what, node) => {
      const there = get(what)
      if (there?.status !== 'running') return undefined
      if (there.owner === node) return there.epoch
      if (lives(there.owner)) return undefined
      there.owner = node
      return ++there.epoch
    },
  }
}

function create(address: Address, nth: number, at: number): Conversation {
  return {
    address,
    nth,
    createdAt: at,
    events: [],
    marks: new Map(),
    keys: new Map(),
    holds: new Map(),
    notes: [],
    agent: '',
    status: 'idle',
    wakeAt: undefined,
    base: undefined,
    epoch: 0,
    owner: undefined,
    updatedAt: at,
  }
}

type Sort = readonly [number, number, string]

function pageOf<T>(
  found: readonly { readonly sort: Sort; readonly item: T }[],
  { after, limit }: { readonly after?: string; readonly limit: number },
): Page<T> {
  const sorted = found.toSorted((a, b) => compare(a.sort, b.sort))
  const from = after === undefined ? undefined : placeOf(after)
  const rest = from ? sorted.filter(({ sort }) => compare(sort, from) > 0) : sorted
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  return { items: page.map(({ item }) => item), next: last && JSON.stringify(last.sort) }
}

function placeOf(after: string): Sort {
  const read = parseJson(after)
  if (read.ok && Array.isArray(read.value)) {
    const [first, second, third] = read.value as readonly Json[]
    if (typeof first === 'number' && typeof second === 'number' && typeof third === 'string')
      return [first, second, third]
  }
  throw new HoldpointError('config-invalid', `"${after}" is not where a page ended: give the \`next\` of a page.`)
}

function compare(a: Sort, b: Sort): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : Number(a[2] > b[2]))
}

function keyOf({ tenant, id }: Address): string {
  return JSON.stringify([tenant, id])
}
