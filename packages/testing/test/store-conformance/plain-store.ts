/**
 * A store that is right and all in one file, for broken-store.ts to change lines of: the memory store as it once was,
 * kept apart from it so that neither stands in the other's way.
 */
import { createHash } from 'node:crypto'
import type { Address, Append, Appended, Document, LogEvent, Page, Store } from '@holdpoint/core'
import type { Conversation } from './plain-conversation.ts'

export function plainStore(now: () => number): Store {
  const all = new Map<string, Conversation>()
  const nodes = new Map<string, number>()
  const listeners = new Set<Parameters<Store['listen']>[0]>()
  const get = (address: Address): Conversation | undefined => all.get(keyOf(address))
  const documents = new Map<string, Document>()
  const placeOf = (tenant: string, kind: string, id: string): string => JSON.stringify([tenant, kind, id])
  const isOver = ({ until = Infinity }: Document): boolean => until <= now()
  const versionOf = (there: Document | undefined): number => (there && !isOver(there) ? there.version : 0)
  const lives = (node: string | undefined): boolean => node !== undefined && (nodes.get(node) ?? -Infinity) > now()

  const append = (write: Append): Appended => {
    const { to, expectedSeq, events, at, rows, node } = write
    const there = get(to) ?? create(to, all.size, at)
    const repeated = write.key === undefined ? undefined : there.keys.get(write.key)
    const owned = (): boolean => node !== undefined && there.owner === node
    if (movedFrom(there, write)) {
      const mine = there.marks.get(expectedSeq + 1) === write.mark
      if (!mine) return repeated === undefined ? { result: 'conflict' } : { result: 'repeated', seq: repeated }
      const from = expectedSeq - there.erased
      const written = there.events.slice(from, from + events.length)
      const hash = there.batches.find(({ seq }) => seq === expectedSeq + events.length)?.hash ?? ''
      return { result: 'ok', events: written, hash, epoch: there.epoch, owned: owned() }
    }
    if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }
    if (write.epoch !== undefined && node !== undefined && !owned()) return { result: 'fenced' }
    if (repeated !== undefined) return { result: 'repeated', seq: repeated }

    const written = events.map((event, index): LogEvent => ({ at, ...event, seq: expectedSeq + index + 1 }))
    if (write.epoch === undefined && node !== undefined && rows.status === 'running') {
      if (there.status !== 'running' || !lives(there.owner)) {
        there.owner = node
        there.epoch++
      }
    }
    all.set(keyOf(to), there)
    if (write.erase) {
      there.erased = headOf(there)
      there.events.length = 0
      there.marks.clear()
      there.batches.length = 0
      there.keys.clear()
      there.holds.clear()
      there.notes = []
      there.labels = []
      there.base = undefined
    }
    there.events.push(...written)
    there.marks.set(expectedSeq + 1, write.mark)
    const head = headOf(there)
    const text = JSON.stringify(events)
    const before = write.erase ? '' : write.follows
    const hash = createHash('sha256').update(`${before}\n${head}\n${at}\n${text}`).digest('hex')
    there.batches.push({ seq: head, at, events: text, hash })
    if (write.key !== undefined) there.keys.set(write.key, head)
    there.agent = rows.agent
    there.status = rows.status
    there.wakeAt = rows.wakeAt
    there.updatedAt = at
    if (rows.base !== undefined) there.base = { seq: head, state: rows.base }
    there.labels = rows.labels ?? there.labels
    there.hidden = rows.hidden ?? false
    for (const row of rows.holds) there.holds.set(row.callId, row)
    const left = rows.status === 'running' && !lives(there.owner)
    for (const listener of listeners) listener(to, head, left)
    return { result: 'ok', events: written, hash, epoch: there.epoch, owned: owned() }
  }

  return {
    append: async (write) => append(write),
    load: async (from) => {
      const there = get(from)
      if (!there) return undefined
      const { agent, base, events } = there
      const after = Math.max(0, (base?.seq ?? 0) - there.erased)
      return { seq: headOf(there), hash: hashOf(there), agent, base, events: events.slice(after) }
    },
    follow: async (from, head) => {
      const there = get(from)
      if (!there) return head.seq === 0 ? { events: [], head } : undefined
      const { events, erased, batches } = there
      const known = batches.find(({ seq }) => seq === head.seq)?.hash ?? ''
      if (head.seq > erased && known !== head.hash) return undefined
      if (head.seq > headOf(there)) return undefined
      const newest = { seq: headOf(there), hash: hashOf(there) }
      return { events: events.slice(Math.max(0, head.seq - erased)), head: newest }
    },
    batches: async (from, after, limit) => (get(from)?.batches ?? []).filter(({ seq }) => seq > after).slice(0, limit),
    read: async (from, after, limit = Infinity) => {
      const { events = [], erased = 0 } = get(from) ?? {}
      return events.slice(Math.max(0, after - erased)).slice(0, limit)
    },
    readBack: async (from, before, limit) => {
      const { events = [], erased = 0 } = get(from) ?? {}
      return events.slice(0, Math.max(0, before - 1 - erased)).slice(-limit)
    },
    readCall: async (from, callId) => {
      const there = get(from)
      return there?.holds.get(callId)?.seqs.flatMap((seq) => there.events[seq - 1 - there.erased] ?? []) ?? []
    },
    findCall: async (tenant, callId) =>
      [...all.values()]
        .filter(({ address, holds }) => address.tenant === tenant && holds.has(callId))
        .map(({ address }) => address.id)
        .slice(0, 2),
    findKey: async (from, key) => get(from)?.keys.get(key),
    heads: async (of) =>
      of.map((address) => {
        const there = get(address)
        return there ? headOf(there) : 0
      }),

    note: async (to, note) => {
      const there = get(to)
      if (!there || there.hidden) return
      const others = there.notes.filter(({ kind, seq }) => kind !== note.kind || seq !== note.seq)
      there.notes = [...others, note].toSorted((one, other) => other.seq - one.seq)
    },
    notes: async (from, { kind, before = Infinity, limit }) =>
      (get(from)?.notes ?? [])
        .filter((note) => note.kind === kind && note.seq < before)
        .filter(({ until = Infinity }) => until > now())
        .slice(0, limit),
    sweep: async (limit) => {
      let left = limit
      for (const there of all.values()) {
        const over = there.notes.filter(({ until = Infinity }) => until <= now()).slice(0, left)
        there.notes = there.notes.filter((note) => !over.includes(note))
        left -= over.length
      }
      for (const [place, document] of documents) {
        if (isOver(document) && left > 0 && documents.delete(place)) left--
      }
      return limit - left
    },

    put: async ({ tenant, kind, id, expected, data, ttlMs }) => {
      const place = placeOf(tenant, kind, id)
      const there = documents.get(place)
      if (expected !== undefined && expected !== versionOf(there)) {
        return { result: 'conflict', version: versionOf(there) }
      }
      if (data === undefined) {
        documents.delete(place)
        return { result: 'ok', version: 0 }
      }
      const version = (there?.version ?? 0) + 1
      const made = { kind, id, version, at: now(), data }
      documents.set(place, ttlMs === undefined ? made : { ...made, until: made.at + ttlMs })
      return { result: 'ok', version }
    },
    get: async (tenant, kind, id) => {
      const there = documents.get(placeOf(tenant, kind, id))
      return there && !isOver(there) ? there : undefined
    },
    documents: async ({ tenant, kind, prefix = '', after, limit }) => {
      const found = [...documents]
        .filter(([place, document]) => place === placeOf(tenant, kind, document.id))
        .map(([, document]) => document)
        .filter((document) => !isOver(document))
        .filter(({ id }) => id.startsWith(prefix) && (after === undefined || id > after))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      const page = found.slice(0, limit)
      return { items: page, next: found.length > limit ? page.at(-1)?.id : undefined }
    },

    pending: async (query) => {
      const { tenant, conversationId, callId, agent, tool, kind, expiresBefore = Infinity, any } = query
      const found = [...all.values()].flatMap((there) =>
        there.address.tenant !== tenant ||
        there.hidden ||
        (conversationId ?? there.address.id) !== there.address.id ||
        (agent ?? there.agent) !== there.agent
          ? []
          : Array.from(there.holds.values(), (hold) => ({ there, hold })),
      )
      const open = found
        .filter(({ hold }) => hold.open && hold.expiresAt < expiresBefore)
        .filter(({ hold }) => (callId ?? hold.callId) === hold.callId)
        .filter(({ hold }) => (tool ?? hold.tool) === hold.tool && (kind ?? hold.kind) === hold.kind)
        .filter(({ there, hold }) => {
          if (!any) return true
          const own = (hold.labels ?? []).some((label) => any.labels.includes(label))
          return own || there.labels.some((label) => any.conversationLabels.includes(label))
        })
        .map(({ there, hold: { open: _open, seqs: _seqs, labels: _labels, ...row } }) => ({
          sort: [row.heldAt, there.nth, row.callId] as const,
          item: { ...row, conversationId: there.address.id, agent: there.agent },
        }))
      return pageOf(open, query)
    },
    list: async (query) => {
      const { tenant, agent, status, labels } = query
      const found = [...all.values()]
        .filter(({ address }) => address.tenant === tenant)
        .filter((there) => !there.hidden)
        .filter((there) => labels?.some((label) => there.labels.includes(label)) ?? true)
        .filter((there) => (agent ?? there.agent) === there.agent && (status ?? there.status) === there.status)
        .map((there) => {
          const { address, createdAt, updatedAt } = there
          const item = { id: address.id, agent: there.agent, status: there.status, seq: headOf(there) }
          return { sort: [-there.nth, 0, ''] as const, item: { ...item, createdAt, updatedAt } }
        })
      return pageOf(found, query)
    },
    walk: async (query) => {
      const found = [...all.values()]
        .filter((there) => !there.hidden)
        .map((there) => {
          const { address, agent, status, createdAt, updatedAt } = there
          const item = { ...address, agent, status, seq: headOf(there), createdAt, updatedAt }
          return { sort: [there.nth, 0, ''] as const, item }
        })
      return pageOf(found, query)
    },
    usage: async (tenant) => {
      const own = [...all.values()].filter((there) => there.address.tenant === tenant)
      const shown = own.filter((there) => !there.hidden)
      return {
        conversations: shown.length,
        bytes: own.reduce((sum, { events }) => sum + JSON.stringify(events).length, 0),
      }
    },

    beat: async (node, ttlMs) => {
      nodes.set(node, now() + ttlMs)
      return now()
    },
    leave: async (node) => {
      nodes.delete(node)
    },
    due: async ({ agents, limit }) => {
      const ours = [...all.values()].filter(({ agent }) => (agents ?? [agent]).includes(agent))
      const due = ours.filter(
        ({ status, owner, wakeAt = Infinity }) => wakeAt <= now() || (status === 'running' && !lives(owner)),
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
      if (lives(there.owner)) return undefined
      there.owner = node
      return ++there.epoch
    },

    listen: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    inspect: async () => [],
    close: async () => {},
  }
}

function headOf({ erased, events }: Conversation): number {
  return erased + events.length
}

function movedFrom(there: Conversation, { expectedSeq, follows }: Append): boolean {
  return headOf(there) !== expectedSeq || hashOf(there) !== follows
}

function hashOf({ batches }: Conversation): string {
  return batches.at(-1)?.hash ?? ''
}

function create(address: Address, nth: number, at: number): Conversation {
  return {
    address,
    nth,
    createdAt: at,
    events: [],
    erased: 0,
    marks: new Map(),
    batches: [],
    keys: new Map(),
    holds: new Map(),
    notes: [],
    agent: '',
    status: 'idle',
    wakeAt: undefined,
    base: undefined,
    labels: [],
    hidden: false,
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
  const from = after === undefined ? undefined : (JSON.parse(after) as Sort)
  const rest = from ? sorted.filter(({ sort }) => compare(sort, from) > 0) : sorted
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  return { items: page.map(({ item }) => item), next: last && JSON.stringify(last.sort) }
}

function compare(a: Sort, b: Sort): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : Number(a[2] > b[2]))
}

function keyOf({ tenant, id }: Address): string {
  return JSON.stringify([tenant, id])
}
