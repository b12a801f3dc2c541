/**
 * The store that all nodes share. Every write is checked when it is committed, whichever node made it, and whether or not its answer
 * arrives. It also computes which node owns a conversation and which lease is valid, from the requests and answers of the store, so
 * that it can check the store too. It remembers every write, so that it can lose the newest ones (`rewind`) or be copied (`copy`).
 */
import { memoryStore, type Append, type Appended, type LogEvent, type Rule, type Store } from '@holdpoint/core'
import { ConversationRecord } from './conversation-record.ts'
import { forwarding } from './forwarding.ts'
import type { Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'
import type { Judge } from './violation.ts'

interface Hands {
  readonly node: string | undefined
  readonly epoch: number
}

/** A write of the journal. */
interface Done {
  readonly on: (store: Store) => Promise<unknown>
  readonly now: number
  readonly steps: number
}

const NO_OWNER: Hands = { node: undefined, epoch: 0 }

export class Truth {
  readonly conversations: Map<string, ConversationRecord> = new Map()
  /** The store that nodes use, before faults are applied to their requests. */
  readonly store: Store
  /** The simulation step of the last write. */
  wroteAt = 0
  /** Called after each write. */
  onCommit: (record: ConversationRecord, events: readonly LogEvent[], node: string | undefined) => void = () => {}
  /** Called after a rule was written. */
  onRule: (rule: Rule) => void = () => {}
  /** How often the store lost writes, or was divided. What was asked before and is answered after is not comparable. */
  losses = 0
  /** Calls that were started since the store lost writes, by their call, attempt and node. */
  readonly startedSince: Set<string> = new Set()
  /** By conversation and seq: the number of the write. */
  readonly #writeOf = new Map<string, number>()
  #inner: Store
  #journal: Done[] = []
  /** The write that `rewind` makes again. */
  #again: Done | undefined
  readonly #listeners = new Set<Parameters<Store['listen']>[0]>()
  readonly #scheduler: Scheduler
  readonly #judge: Judge
  readonly #trace: Trace
  readonly #hands = new Map<string, Hands>()
  /** When the owner of each conversation got it. */
  readonly #ownedSince = new Map<string, number>()
  /** For each conversation, every node that ever owned it. A node may not know yet that it was replaced. */
  readonly #drove = new Set<string>()
  /** The end of each node's lease. */
  readonly #leases = new Map<string, number>()

  constructor(scheduler: Scheduler, judge: Judge, trace: Trace) {
    this.#scheduler = scheduler
    this.#judge = judge
    this.#trace = trace
    this.#inner = this.#empty()
    this.store = this.#observed()
  }

  /** How many writes the store has. */
  get writes(): number {
    return this.#journal.length
  }

  /** The number of the write that wrote this event. */
  writeOf(id: string, seq: number): number {
    return this.#writeOf.get(`${id} ${seq}`) ?? 0
  }

  /** How many writes the store had at this time. */
  writesAt(time: number): number {
    const after = this.#journal.findIndex(({ now }) => now > time)
    return after === -1 ? this.#journal.length : after
  }

  /** Loses all writes but the first `kept`. Every record is computed again from what is left. */
  async rewind(kept: number): Promise<void> {
    const journal = this.#journal
    this.losses++
    this.#journal = []
    this.startedSince.clear()
    for (const map of [this.conversations, this.#hands, this.#ownedSince, this.#drove, this.#leases, this.#writeOf])
      map.clear()
    this.#inner = this.#empty()
    for (const done of journal.slice(0, kept)) {
      this.#again = done
      await done.on(this.store)
    }
    this.#again = undefined
  }

  /** Another store with the same content. Nothing that is written to it is checked. */
  async copy(): Promise<Store> {
    let now: number | undefined
    const copy = memoryStore({ now: () => now ?? this.#scheduler.now })
    for (const done of this.#journal) {
      now = done.now
      await done.on(copy)
    }
    now = undefined
    return copy
  }

  get #clock(): { readonly now: number; readonly steps: number } {
    return this.#again ?? this.#scheduler
  }

  #empty(): Store {
    const store = memoryStore({ now: () => this.#clock.now })
    store.listen((...what) => {
      if (!this.#again) for (const changed of this.#listeners) changed(...what)
    })
    return store
  }

  /** Makes a write, and keeps it in the journal. */
  #write<T>(on: (store: Store) => Promise<T>): Promise<T> {
    const { now, steps } = this.#clock
    this.#journal.push({ on, now, steps })
    return on(this.#inner)
  }

  record(id: string): ConversationRecord {
    const known = this.conversations.get(id)
    if (known) return known
    const record = new ConversationRecord(id)
    this.conversations.set(id, record)
    return record
  }

  hasLease(node: string | undefined): boolean {
    return node !== undefined && (this.#leases.get(node) ?? -Infinity) > this.#clock.now
  }

  owner(id: string): Hands {
    return this.#hands.get(id) ?? NO_OWNER
  }

  ownedSince(id: string): number {
    return this.#ownedSince.get(id) ?? -Infinity
  }

  /** At the end, the store must return the events that were written. */
  async checkForEver(): Promise<void> {
    for (const { id, events } of this.conversations.values()) {
      const stored = await this.#inner.read({ tenant: '', id }, 0)
      const same = JSON.stringify(stored) === JSON.stringify(events)
      this.#judge.require(same, 'log-for-ever', () => `${id}: the log is not what was written`)
    }
  }

  #observed(): Store {
    return {
      ...forwarding(() => this.#inner),
      append: async (write) => {
        const record = this.record(write.to.id)
        const busy = record.hasWork
        const answer = await this.#write((store) => store.append(write))
        const stored = await this.#inner.read(write.to, record.events.length)
        if (stored.length > 0) this.#committed(record, write, stored, answer, busy)
        return answer
      },
      note: (to, note) => this.#write((store) => store.note(to, note)),
      sweep: (limit) => this.#write((store) => store.sweep(limit)),
      put: async (put) => {
        const answer = await this.#write((store) => store.put(put))
        if (put.kind === 'rule' && answer.result === 'ok' && put.data !== undefined && !this.#again)
          this.onRule(put.data as unknown as Rule)
        return answer
      },
      beat: async (node, ttlMs) => {
        this.#leases.set(node, this.#clock.now + ttlMs)
        return this.#write((store) => store.beat(node, ttlMs))
      },
      leave: async (node) => {
        this.#leases.delete(node)
        return this.#write((store) => store.leave(node))
      },
      takeOver: async (what, node) => {
        const record = this.record(what.id)
        const epoch = await this.#write((store) => store.takeOver(what, node))
        const owner = this.owner(what.id)
        const again = epoch !== undefined && node === owner.node && epoch === owner.epoch
        if (epoch !== undefined && !again) this.#handOver(record, { node, epoch }, record.hasWork)
        // A node that takes over again did not get its answer, and may have worked under an older epoch: those writes are refused.
        if (again && record.step) record.step.excused++
        return epoch
      },
      listen: (changed) => {
        this.#listeners.add(changed)
        return () => this.#listeners.delete(changed)
      },
    }
  }

  #committed(
    record: ConversationRecord,
    write: Append,
    stored: readonly LogEvent[],
    answer: Appended,
    busy: boolean,
  ): void {
    const { now, steps } = this.#clock
    this.wroteAt = steps
    for (const event of stored) {
      this.#writeOf.set(`${record.id} ${event.seq}`, this.#journal.length)
      if (event.type === 'call.started' && !this.#again)
        this.startedSince.add(`${event.callId} ${event.attempt} ${write.node}`)
      if (!this.#again) this.#trace.add(`  = ${record.id} ${event.seq} ${event.type}`, () => JSON.stringify(event))
    }
    this.#checkHands(record, write, stored, busy)
    const before = record.step
    const self = write.node !== undefined && this.#drove.has(`${record.id} ${write.node}`)
    const moves = answer.result === 'ok' && answer.epoch !== this.owner(record.id).epoch
    if (moves) this.#handOver(record, { node: answer.owned ? write.node : undefined, epoch: answer.epoch }, busy)
    record.follow(stored, this.#judge, now, steps)
    // The previous owner may ask for the new step too, before it learns that it was replaced, even if by itself.
    if (moves && (busy || self) && record.step && record.step !== before) record.step.excused++
    if (this.#judge.violation) return
    record.checkRows(write, this.#judge)
    if (!this.#again) this.onCommit(record, stored, write.node)
  }

  /** The node that starts an idle conversation owns it, and may write the first events of the turn in the same append. */
  #checkHands(
    { id, restored }: ConversationRecord,
    { epoch, node }: Append,
    stored: readonly LogEvent[],
    busy: boolean,
  ): void {
    const owner = this.owner(id)
    const say = (): string =>
      `${id}: ${stored[0]?.seq} ${stored[0]?.type} by ${node} under epoch ${epoch}; ${owner.node} has ${owner.epoch}`
    if (epoch !== undefined) this.#judge.require(epoch === owner.epoch && node === owner.node, 'fenced', say)
    else {
      // After a restore, a caller's message takes the queue along.
      const theirs = restored ? [] : busy ? stored : stored.slice(0, opens(stored))
      this.#judge.require(!theirs.some(driverOnly), 'fenced', say)
    }
  }

  /** No node may take over a running conversation from an owner with a valid lease. */
  #handOver(record: ConversationRecord, to: Hands, busy: boolean): void {
    const from = this.owner(record.id)
    const free = (!busy || !this.hasLease(from.node)) && to.epoch > from.epoch
    const say = (): string => `${record.id}: from ${from.node} (${from.epoch}) to ${to.node} (${to.epoch})`
    this.#judge.require(free, 'one-driver', say)
    if (!this.#again) this.#trace.add(`  > ${say()}`)
    this.#hands.set(record.id, to)
    this.#ownedSince.set(record.id, this.#clock.now)
    this.#drove.add(`${record.id} ${to.node}`)
    record.handedOverAt = record.events.length + 1
    if (record.step) record.step.excused++
  }
}

/** Where a turn begins that a caller asked for. */
function opens(events: readonly LogEvent[]): number {
  const at = events.findIndex((event) => event.type === 'turn.started' && !driverOnly(event))
  return at === -1 ? events.length : at
}

/** Events that only the owner may write. */
function driverOnly(event: LogEvent): boolean {
  switch (event.type) {
    case 'message.changed':
    case 'model.replied':
    case 'call.rewritten':
    case 'call.started':
    case 'call.judged':
    case 'call.cleared':
    case 'state.changed':
    case 'notices.delivered':
      return true
    case 'turn.started':
      return (event.queued ?? 0) > 0
    case 'turn.ended':
      return event.reason !== 'cancelled' && event.reason !== 'superseded' && event.reason !== 'expired'
    case 'call.held':
      return event.hold.cause === 'asked' || event.hold.cause === 'lost' || event.hold.cause === 'changed'
    case 'conversation.opened':
    case 'conversation.forked':
    case 'participants.changed':
    case 'conversation.erased':
    case 'conversation.restored':
    case 'message.queued':
    case 'call.endorsed':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
    case 'call.approved':
    case 'call.resumed':
    case 'call.settled':
    case 'answer.arrived':
    case 'plan.set':
    case 'plan.removed':
    case 'plan.fired':
    case 'space.opened':
    case 'space.erased':
    case 'member.joined':
    case 'member.left':
    case 'message.posted':
    case 'messages.read':
    case 'agent.activated':
    case 'agent.rested':
    case 'tool.started':
    case 'tool.changed':
    case 'tool.done':
    case 'tool.error':
      return false
  }
}
