/**
 * A store's answer to a command in comparable form. What the contract leaves open (the order of due conversations, the
 * size of a page, the form of a cursor) is normalised, and checked separately.
 */
import type { Address, Append, Batch, Document, Note, Page, Store } from '@holdpoint/core'
import { atHead } from '../at-head.ts'
import { holds } from '../expect.ts'
import { timeOf, type StorePlace } from '../scene.ts'
import { STEP_MS, type Command } from './command.ts'

/** A store under comparison. */
export interface Subject {
  readonly name: string
  readonly place: StorePlace
  readonly handles: [Store, Store]
  /** The store's time when the run began. */
  start: number
  /** The cursor of the last page of each query. Each store has its own cursors. */
  readonly cursors: Map<string, string | undefined>
}

export async function subjectOn(name: string, place: StorePlace): Promise<Subject> {
  return {
    name,
    place,
    handles: [atHead(await place.open()), atHead(await place.open())],
    start: 0,
    cursors: new Map(),
  }
}

export async function begin(subject: Subject): Promise<void> {
  subject.start = await timeOf(subject.handles[0])
  subject.cursors.clear()
}

export async function answerOf(subject: Subject, command: Command): Promise<unknown> {
  const { place, handles, start } = subject
  const store = handles[command.handle]
  switch (command.ask) {
    case 'append':
      return store.append(withWake(command.write, command.wakeIn, start))
    case 'takeOver':
      return store.takeOver(command.what, command.node)
    case 'beat':
      return Math.round(((await store.beat(command.node, command.ttlMs)) - start) / STEP_MS)
    case 'leave':
      return store.leave(command.node)
    case 'advance':
      return place.clock.advance(command.ms)
    case 'reopen':
      await store.close()
      handles[command.handle] = atHead(await place.open())
      return undefined
    case 'load':
      return store.load(command.from)
    case 'batches':
      return allBatches(store, command.from)
    case 'read':
      return readUpTo(store, command)
    case 'readBack':
      return readBack(store, command)
    case 'readCall':
      return store.readCall(command.from, command.callId)
    case 'findCall':
      return store.findCall(command.tenant, command.callId)
    case 'findKey':
      return store.findKey(command.from, command.key)
    case 'heads':
      return store.heads(command.of)
    case 'pending':
      return page(subject, command, (after) => store.pending({ ...command.query, ...after }))
    case 'list':
      return page(subject, command, (after) => store.list({ ...command.query, ...after }))
    case 'usage': {
      const { conversations, bytes } = await store.usage(command.tenant)
      return { conversations, some: bytes > 0 }
    }
    case 'note':
      return store.note(command.to, withEnd(command.note, command.endsIn, start))
    case 'notes':
      return (await store.notes(command.from, command.query)).map((note) => fromStart(note, start))
    case 'put':
      return store.put(command.put)
    case 'get': {
      const found = await store.get(command.tenant, command.kind, command.id)
      return found && inSteps(found, start)
    }
    case 'documents':
      return page(subject, command, async (after) => {
        const { items, next } = await store.documents({ ...command.query, ...after })
        return { items: items.map((document) => inSteps(document, start)), next }
      })
    case 'sweep':
      return store.sweep(100_000)
    case 'due':
      return due(store, command, start)
  }
}

/** A store may return a few at a time. */
async function allBatches(store: Store, from: Address): Promise<readonly Batch[]> {
  const all: Batch[] = []
  for (;;) {
    const page = await store.batches(from, all.at(-1)?.seq ?? 0, 1000)
    if (page.length === 0) return all
    all.push(...page)
  }
}

function withWake(write: Append, wakeIn: number | undefined, start: number): Append {
  return { ...write, rows: { ...write.rows, wakeAt: wakeIn === undefined ? undefined : start + wakeIn } }
}

function withEnd(note: Note, endsIn: number | undefined, start: number): Note {
  return endsIn === undefined ? note : { ...note, until: start + endsIn }
}

function fromStart(note: Note, start: number): Note {
  return note.until === undefined ? note : { ...note, until: note.until - start }
}

/** Converts the store's times to steps since the start. */
function inSteps({ at, until, ...document }: Document, start: number): unknown {
  const lasts = until === undefined ? {} : { lasts: until - at }
  return { ...document, ...lasts, step: Math.floor((at - start) / STEP_MS) }
}

type Asked<Ask> = Extract<Command, { readonly ask: Ask }>

/** A store may return less than the limit; then the next page is read. */
async function readUpTo(store: Store, { from, after, limit }: Asked<'read'>): Promise<unknown> {
  const events = []
  while (events.length < limit) {
    const read = await store.read(from, events.at(-1)?.seq ?? after, limit - events.length)
    if (read.length === 0) break
    events.push(...read)
  }
  return events
}

/** A store may return more events than the limit. */
async function readBack(store: Store, { from, before, limit }: Asked<'readBack'>): Promise<unknown> {
  const events = await store.readBack(from, before, limit)
  holds(
    events.every(({ seq }, index) => seq === before - events.length + index),
    `${events.map(({ seq }) => seq).join(', ')} lead up to ${before}`,
  )
  return events.slice(-limit)
}

async function page<T>(
  { cursors }: Subject,
  { ask, query, goOn }: Asked<'pending' | 'list' | 'documents'>,
  askFor: (after: { readonly after?: string }) => Promise<Page<T>>,
): Promise<unknown> {
  const { limit: _limit, ...question } = query
  const id = JSON.stringify([ask, question])
  const after = goOn ? cursors.get(id) : undefined
  const { items, next } = await askFor(after === undefined ? {} : { after })
  cursors.set(id, next)
  return { items, more: next !== undefined }
}

/** Without a list of agents, leaves out conversations of earlier runs, because their start differs between the stores. */
function halfSteps(ms: number): number {
  return Math.round((2 * ms) / STEP_MS)
}

async function due(store: Store, { query }: Asked<'due'>, start: number): Promise<unknown> {
  const all = await store.due({ ...query, limit: 1_000_000 })
  const some = await store.due(query)
  const told = new Set(all.conversations.map((address) => JSON.stringify(address)))
  holds(
    some.conversations.every((address) => told.has(JSON.stringify(address))),
    'what is told with a limit is told without one too',
  )
  return {
    conversations: [...told].toSorted(),
    some: some.conversations.length,
    next: all.next === undefined ? undefined : query.agents ? all.next - start : halfSteps(all.next - start),
  }
}
