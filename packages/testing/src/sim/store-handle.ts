/** A node's handle on the store, over an unreliable connection. */
import type { Address, Append, Appended, LogEvent, Store } from '@holdpoint/core'
import type { Process } from './scheduler.ts'
import { StoreAway, StoreLine, type StoreSurroundings } from './store-line.ts'

/** What a node's requests and answers reveal about its knowledge. */
export interface StoreUser {
  readonly process: Process
  /** The node knows this conversation up to this seq. */
  told(id: string, seq: number): void
  /** The node is about to write. */
  writes(id: string): void
  /** The node's write was refused, because another process wrote first. */
  refused(id: string): void
  /** The node does not learn the result of its write. */
  unclear(id: string): void
  /** The node's heartbeat was answered: it relies on its lease until this time. */
  believed(until: number): void
  /** The store does not have the events that the node follows. */
  disowned(id: string): void
  /** The node could not read on. */
  unheard(id: string, error: unknown): void
  /** The node has read the log from its start. */
  reloaded(id: string): void
  /** The node was told that the log has everything up to this seq. */
  acknowledged(id: string, seq: number): void
  /** The node has read these events. */
  shown(id: string, events: readonly LogEvent[]): void
  /** The node's name in the store. */
  named(node: string): void
}

export interface HandleOptions {
  /** The store shows events before they are safe. */
  readonly confirms: boolean
  /** Calls the listener when the node reaches another server than before. */
  watchServer(changed: (what: string) => void): () => void
}

export function storeHandle(
  user: StoreUser,
  store: Store,
  around: StoreSurroundings,
  { confirms, watchServer }: HandleOptions,
): Store {
  const line = new StoreLine(user.process, around)
  const read = <T>(label: string, get: () => Promise<T>): Promise<T> =>
    line.ask(label, false, async (fate) => {
      if (fate === 'fine') return get()
      throw new StoreAway(`${label}: the store does not answer`)
    })
  const say = <T>(label: string, change: () => Promise<T>, comesAgain = true): Promise<T> =>
    line.ask(
      label,
      true,
      async (fate) => {
        const value = fate === 'not-done' ? undefined : await change()
        if (fate === 'fine') return value as T
        throw new StoreAway(`${label}: the connection broke`)
      },
      comesAgain,
    )
  const heard = hears(user)
  return {
    append: async (write) => {
      user.writes(write.to.id)
      let answer: Appended | undefined
      try {
        answer = await append(write, line, store, around)
        return answer
      } finally {
        if (answer?.result === 'ok') {
          heard(write.to, answer.events)
          user.acknowledged(write.to.id, answer.events.at(-1)?.seq ?? 0)
        } else if (answer?.result === 'conflict' || answer?.result === 'fenced') user.refused(write.to.id)
        else user.unclear(write.to.id)
      }
    },
    ...(confirms && { confirm: (of: Address) => say(`confirm ${of.id}`, async () => store.confirm?.(of)) }),
    ...eventReads(user, store, read, heard),
    inspect: () => read('inspect', () => store.inspect()),
    findCall: (tenant, callId) => read(`find-call ${callId}`, () => store.findCall(tenant, callId)),
    findKey: (from, key) => read(`find-key ${key}`, () => store.findKey(from, key)),
    heads: (of) => read('heads', () => store.heads(of)),
    note: (to, note) => say(`note ${to.id} ${note.kind} ${note.seq}`, () => store.note(to, note)),
    notes: (from, query) => read(`notes ${from.id} ${query.kind}`, () => store.notes(from, query)),
    // Never duplicated: a copy would conflict with the first one, or undo a later change.
    put: (put) => say(`put ${put.kind} ${put.id}`, () => store.put(put), false),
    get: (tenant, kind, id) => read(`get ${kind} ${id}`, () => store.get(tenant, kind, id)),
    documents: (query) => read(`documents ${query.kind}`, () => store.documents(query)),
    sweep: (limit) => say('sweep', () => store.sweep(limit)),
    pending: (query) => read('pending', () => store.pending(query)),
    list: (query) => read('list', () => store.list(query)),
    usage: (tenant) => read('usage', () => store.usage(tenant)),
    walk: (query) => read('walk', () => store.walk(query)),
    due: (query) => read('due', () => store.due(query)),
    beat: async (node, ttlMs) => {
      user.named(node)
      const asked = around.scheduler.now
      const now = await say('beat', () => store.beat(node, ttlMs))
      user.believed(asked + 0.8 * ttlMs)
      return now
    },
    leave: (node) => say('leave', () => store.leave(node)),
    takeOver: async (what, node) => {
      const epoch = await say(`takeOver ${what.id}`, () => store.takeOver(what, node), false)
      line.tender = epoch !== undefined
      return epoch
    },
    listen: (changed) => listenThrough(user.process, store, around, changed),
    watchServer,
    close: async () => {},
  }
}

function append(write: Append, line: StoreLine, store: Store, around: StoreSurroundings): Promise<Appended> {
  const { scheduler, faults, random, fullDisk } = around
  // Only JSON reaches a real store. Converting is slow, so not every write does it.
  const sent = random.chance(0.3) ? (JSON.parse(JSON.stringify(write)) as Append) : write
  const label = `append ${write.to.id} ${write.expectedSeq} ${write.events.map(({ type }) => type).join()}`
  return line.ask(label, true, async (fate, twice) => {
    const full = faults.active && fullDisk.has(scheduler.now)
    if (full) faults.happened('disk-full')
    const done = fate !== 'not-done' && !full
    const answer: Appended = done
      ? await store.append(sent)
      : { result: 'failed', why: full ? 'the disk is full' : 'the store is away' }
    if (answer.result === 'conflict') faults.happened('conflict')
    if (answer.result === 'fenced') faults.happened('lease-lost')
    // A request that is still on its way cannot be cancelled, so no process may report that it failed.
    const sure = done ? fate === 'fine' : !twice && random.chance(0.5)
    if (sure) return answer
    if (random.chance(0.5)) return { result: 'unknown', why: 'the connection broke' }
    throw new StoreAway('append: the connection broke')
  })
}

/** Notifications are lost, duplicated and delayed, and reach the writer as well. */
function listenThrough(
  process: Process,
  store: Store,
  { scheduler, faults, random }: StoreSurroundings,
  changed: Parameters<Store['listen']>[0],
): () => void {
  const { generation } = process
  const tell = (what: Address, seq: number, look: boolean, delay: number): void => {
    scheduler.add(process, `notification ${what.id} ${seq}`, delay, () =>
      changed(what, seq, look || random.chance(0.05)),
    )
  }
  const stop = store.listen((what, seq, look = false) => {
    if (process.generation !== generation) return stop()
    // A process that was paused for long has lost its connection, and the notifications on it.
    if (faults.strikes('notification-lost', process.pausedUntil > scheduler.now ? 2 : 1)) return
    tell(what, seq, look, faults.strikes('notification-late') ? random.between(100, 15_000) : random.between(0, 10))
    if (faults.strikes('notification-twice')) tell(what, seq, look, random.between(0, 5000))
  })
  return stop
}

type Hears = (address: Address, events: readonly LogEvent[]) => void

/** The node learns that the log has these events. */
function hears(user: StoreUser): Hears {
  return ({ id }, events) => {
    const last = events.at(-1)
    if (last) user.told(id, last.seq)
  }
}

/** Reads of events: they may show what was lost, and what is damaged. */
function eventReads(
  user: StoreUser,
  store: Store,
  read: <T>(label: string, get: () => Promise<T>) => Promise<T>,
  heard: Hears,
): Pick<Store, 'load' | 'follow' | 'batches' | 'read' | 'readBack' | 'readCall'> {
  const events = async <T>(
    { id }: Address,
    reading: Promise<T>,
    of: (answer: T) => readonly LogEvent[],
  ): Promise<T> => {
    try {
      const answer = await reading
      user.shown(id, of(answer))
      return answer
    } catch (error) {
      user.unheard(id, error)
      throw error
    }
  }
  return {
    load: async (from) => {
      const reading = read(`load ${from.id}`, () => store.load(from))
      const loaded = await events(from, reading, (answer) => answer?.events ?? [])
      user.reloaded(from.id)
      return loaded
    },
    follow: async (from, head) => {
      const reading = read(`follow ${from.id} ${head.seq}`, () => store.follow(from, head))
      const found = await events(from, reading, (answer) => answer?.events ?? [])
      if (!found) user.disowned(from.id)
      heard(from, found?.events ?? [])
      return found
    },
    batches: (from, after, limit) => {
      const reading = read(`batches ${from.id} ${after}`, () => store.batches(from, after, limit))
      return events(from, reading, () => [])
    },
    read: (from, after, limit) => {
      const reading = read(`read ${from.id} ${after}`, () => store.read(from, after, limit))
      return events(from, reading, (answer) => answer)
    },
    readBack: (from, before, limit) => {
      const reading = read(`read-back ${from.id}`, () => store.readBack(from, before, limit))
      return events(from, reading, (answer) => answer)
    },
    readCall: (from, callId) => {
      const reading = read(`read-call ${callId}`, () => store.readCall(from, callId))
      return events(from, reading, (answer) => answer)
    },
  }
}
