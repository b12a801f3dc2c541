/**
 * One log in this process, and the state that its events fold to. No other object keeps state. A writer decides on `state`
 * and appends at its seq. After a conflict, the log has read the events of the other writer.
 *
 * - Folding starts at the state that the store kept last, so a long log costs what a short one does.
 * - Each append names the hash of the log that it follows, and each read names the head that it continues from. So a store that lost
 *   its newest writes is noticed (`#reload`): the state is read again, and decisions are made on what the store has.
 * - A store that fails, or cannot say whether it wrote, is given the same append again until it knows (`writes.ts`).
 *
 * `Machine` says what the events mean; `ConversationLog` adds what only conversations need.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Head } from '@holdpoint/core/internal/log/chain'
import type { EventBody, LogEvent } from '@holdpoint/core/internal/log/log-event'
import { hasWork, type Machine, type MachineEffect, type MachineState } from '@holdpoint/core/internal/log/machine'
import type { Address, Append, Loaded, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { Draft } from './draft.ts'
import { headOf, KnownHeads } from './known-heads.ts'
import type { Decided, LogListener, LogOptions, Repeated, Written } from './log-options.ts'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { OtherMachine } from './other-machine.ts'
import { Writes, type Writer } from './writes.ts'

const OUTSIDER: Writer = { as: 'outsider' }
const MOST_FRUITLESS = 20

export class Log<S extends MachineState, F extends MachineEffect> {
  readonly address: Address
  readonly machine: Machine<S, F>
  protected readonly store: Store
  readonly #ports: Ports
  readonly #options: LogOptions
  readonly #writes: Writes
  readonly #listeners = new Set<LogListener>()
  #state: S
  readonly #heads = new KnownHeads()
  /** How often the store lost events. */
  #reloads = 0
  /** Conflicts in a row after which the store showed the same log as before. */
  #fruitless = 0
  #marks = 0
  #mark: string | undefined
  /** The newest seq that a notification named. */
  #announced = 0
  #following: Promise<void> | undefined
  #loaded = false

  constructor(machine: Machine<S, F>, address: Address, store: Store, ports: Ports, options: LogOptions = {}) {
    this.machine = machine
    this.address = address
    this.store = store
    this.#state = machine.empty
    this.#ports = ports
    this.#options = options
    this.#writes = new Writes(store, ports, options.patienceMs, (error) => options.stuck?.(error, address))
  }

  get id(): string {
    return this.address.id
  }

  get state(): S {
    return this.#state
  }

  /** Whether there is work that needs no person, client or service from outside. */
  get hasWork(): boolean {
    return hasWork(this.machine, this.#state)
  }

  /** Set while this process owns the log. */
  get epoch(): number | undefined {
    return this.#writes.ownership.epoch
  }

  /** Whether this process may drive: without a node there is no other process. */
  get drivable(): boolean {
    return this.#options.node === undefined || (this.epoch !== undefined && !this.#writes.ownership.uncertain)
  }

  /** Whether the store has to be asked about an append whose result is unknown, or about the owner. */
  get inDoubt(): boolean {
    return this.#writes.inDoubt
  }

  /** Reads what other writers appended; the first time also the state that the store kept. */
  async refresh(): Promise<void> {
    if (this.#loaded) return this.#readOn(Infinity)
    const loaded = await this.store.load(this.address)
    if (this.#loaded) return this.#readOn(Infinity) // another caller loaded it meanwhile
    if (loaded && !this.machine.owns(loaded.agent)) throw new OtherMachine(this.address)
    this.#loaded = true
    if (loaded) this.#start(loaded)
  }

  #start(loaded: Loaded): void {
    if (loaded.base && this.#state.seq === 0) this.#state = this.machine.fromBase(loaded.base.seq, loaded.base.state)
    this.#take(loaded.events, 'others')
    if (this.#state.seq === loaded.seq) this.#heads.begin(loaded)
  }

  /** A notification says that the log has reached this seq. An append that is under way will show the same. */
  async announced(seq: number): Promise<void> {
    this.#announced = Math.max(this.#announced, seq)
    if (this.#writes.underWay) return
    if (this.#announced > this.#state.seq) await (this.#following ??= this.#follow())
    await this.#writes.clearUp(this.#state.seq, (events) => this.#wrote(events))
    await this.#confirmOwner()
  }

  /** One read serves all notifications that arrive meanwhile. */
  async #follow(): Promise<void> {
    try {
      if (!this.#loaded) await this.refresh()
      for (let seq = -1; seq < this.#state.seq && this.#state.seq < this.#announced;) {
        seq = this.#state.seq
        await this.#readOn(this.#announced)
      }
    } finally {
      this.#following = undefined
    }
  }

  /** A store may return a few events at a time. */
  async #readOn(until: number): Promise<void> {
    while (this.#state.seq < until) {
      const from = this.#heads.newest
      const found = await this.store.follow(this.address, from)
      // An append may have been answered meanwhile, or this answer may be from before the store lost events.
      if (this.#heads.newest !== from) continue
      if (!found) return this.#reload()
      if (found.events.length === 0) return
      this.#take(found.events, 'others')
      this.#reached(found.head)
    }
  }

  /** The state has reached this head, unless it is further already. `after`: the seq before its batch. */
  #reached({ seq, hash }: Head, after?: number): void {
    if (seq === this.#state.seq && seq > this.#heads.newest.seq) this.#heads.add({ seq, hash }, after)
  }

  /**
   * The store does not have the newest event that this process knows. Nothing of this process's state can be trusted then: it starts
   * again from what the store has. Callers and the driver decide again, as after a conflict.
   */
  async #reload(): Promise<void> {
    const from = this.#heads.newest
    const problem = await this.#heads.problem(this.store, this.address)
    const loaded = await this.store.load(this.address)
    if (this.#heads.newest !== from) return // another caller noticed it, too
    this.#reloads++
    this.#announced = 0
    this.#state = this.machine.empty
    this.#heads.begin()
    this.#writes.forget()
    this.forgetAll()
    if (loaded) this.#start(loaded)
    this.#options.rolledBack?.(problem, this.address)
    for (const listener of this.#listeners) listener.rolledBack(problem)
  }

  /** Decides and appends, again after each conflict. A refusal too is decided on the newest state of the store. */
  change<D extends Decided>(decide: (state: S) => D | Promise<D>): Promise<D>
  /** `key` is the caller's idempotency key. A second append under the same key is not made: the result is `Repeated`. */
  change<D extends Decided>(decide: (state: S) => D | Promise<D>, key: string | undefined): Promise<D | Repeated>
  async change<D extends Decided>(decide: (state: S) => D | Promise<D>, key?: string): Promise<D | Repeated> {
    for (;;) {
      const { seq } = this.#state
      const deciding = decide(this.#state)
      const decision = deciding instanceof Promise ? await deciding : deciding
      if (this.#state.seq !== seq) continue
      if (decision.events && decision.events.length > 0) {
        const writer: Writer = key === undefined ? OUTSIDER : { as: 'outsider', key }
        const { events, recalled } = decision
        const written = await this.#appendDecided(events, writer, recalled)
        if (typeof written === 'object') return written
        if (written === 'ok') return decision
      } else {
        const state = this.#state
        await this.refresh()
        // The server that confirms may be another one, so the log is read once more.
        if (this.#state === state && this.store.confirm)
          await this.store.confirm(this.address).then(() => this.refresh())
        if (this.#state === state) return decision
      }
    }
  }

  /** A call that a decision recalled may be newer than this state: then the decision is made again, as after a conflict. */
  async #appendDecided(events: readonly EventBody[], writer: Writer, recalled?: readonly Call[]): Promise<Written> {
    const state = this.#state
    try {
      return await this.append(events, writer, recalled)
    } catch (error) {
      if (!HoldpointError.is(error) || error.code !== 'history-impossible') throw error
      await this.refresh()
      if (this.#state === state) throw error
      return 'conflict'
    }
  }

  append(events: readonly EventBody[], writer?: Writer, recalled?: readonly Call[]): Promise<Written> {
    const draft = this.draft()
    draft.add(events)
    return this.write(draft, writer, recalled)
  }

  /** An empty draft, for an append at the current seq. */
  draft(): Draft<S, F> {
    return new Draft(this.machine, this.#state, this.#heads.newest.hash, this.#ports.now())
  }

  /** After `conflict` and `repeated` the state is the newest. */
  async write(draft: Draft<S, F>, writer: Writer = OUTSIDER, recalled: readonly Call[] = []): Promise<Written> {
    const answer = await this.#give(this.#compose(draft, writer, recalled), writer)
    switch (answer.result) {
      case 'ok':
        this.#loaded = true
        this.#fruitless = 0
        if (this.#heads.mayContradict(answer, this.#state.seq))
          await this.#writes.retrying(() => this.refresh(), writer)
        this.#takeOwn(answer.events, draft)
        this.#reached(headOf(answer), (answer.events[0]?.seq ?? 0) - 1)
        this.#wrote(answer.events)
        if (this.#announced > this.#state.seq) await this.#writes.retrying(() => this.refresh(), writer)
        if (this.#mayHaveLost(writer)) await this.#writes.retrying(() => this.#confirmOwner(), writer)
        return 'ok'
      case 'conflict':
        await this.#writes.retrying(() => this.refresh(), writer)
        this.#checkProgress(draft)
        if (this.#mayHaveLost(writer)) await this.#writes.retrying(() => this.#confirmOwner(), writer)
        return 'conflict'
      case 'repeated':
        await this.#writes.retrying(() => this.refresh(), writer)
        return { repeated: answer.seq }
      case 'fenced':
        for (const listener of this.#listeners) listener.fenced()
        return 'fenced'
    }
  }

  /** An append that was confirmed just before the store lost events may be lost, too. So it is asked again. */
  async #give(write: Append, writer: Writer): ReturnType<Writes['write']> {
    for (;;) {
      const reloads = this.#reloads
      const answer = await this.#writes.write(write, writer)
      if (answer.result !== 'ok' || reloads === this.#reloads) return answer
    }
  }

  /** After a conflict there must be something new to decide on. Otherwise the writer would try for ever. */
  #checkProgress({ before }: Draft<S, F>): void {
    this.#fruitless = this.#state === before ? this.#fruitless + 1 : 0
    if (this.#fruitless < MOST_FRUITLESS) return
    this.#fruitless = 0
    throw new HoldpointError(
      'store-unavailable',
      `The store refuses every append to "${this.address.id}" after seq ${before.seq}, and has no other events.`,
    )
  }

  /**
   * The store made this process the owner. It first reads the events of the former owner, however long that takes: no other
   * process takes care of the log now, and read later, those events would look newer than the takeover.
   */
  async takeOver(epoch: number, stop: Pick<LazyAbortController, 'signal'>): Promise<void> {
    this.#writes.ownership.mayTakeOver(epoch)
    await this.#writes.retrying(() => this.refresh(), { as: 'driver', epoch, stop })
    const { ownership } = this.#writes
    ownership.answered({ epoch, owned: true }, ownership.doubts)
  }

  #mayHaveLost(writer: Writer): boolean {
    return writer.as === 'driver' && this.#writes.ownership.uncertain
  }

  async #confirmOwner(): Promise<void> {
    if (!this.#writes.ownership.uncertain) return
    await this.#writes.confirmOwner()
    this.#othersWrote()
  }

  /** Where the append under this key ended, if there was one. */
  async findKey(key: string): Promise<number | undefined> {
    const seq = await this.store.findKey(this.address, key)
    if (seq === undefined || !this.store.confirm) return seq
    await this.store.confirm(this.address)
    return this.store.findKey(this.address, key)
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called for each event, in order, after it was folded. */
  protected keep(_event: LogEvent): void {}

  /** The store lost events, and the log is read again from its start. */
  protected forgetAll(): void {}

  #compose(draft: Draft<S, F>, writer: Writer, recalled: readonly Call[]): Append {
    this.#mark ??= this.#ports.id()
    const mark = `${this.#mark}.${(this.#marks++).toString(36)}`
    return draft.toAppend({ to: this.address, mark, node: this.#options.node }, writer, recalled)
  }

  /** If no other event came in between, the draft already has the new state. */
  #takeOwn(events: readonly LogEvent[], { before, after, events: given }: Draft<S, F>): void {
    if (this.#state !== before || events.length !== given.length) return this.#take(events, 'own')
    this.#state = after
    for (const event of events) this.#kept(event)
  }

  #wrote(events: readonly LogEvent[]): void {
    for (const listener of this.#listeners) listener.wrote(events)
  }

  #kept(event: LogEvent): void {
    this.keep(event)
    for (const listener of this.#listeners) listener.appended(event)
  }

  /** Two appends may overlap and be answered in any order, so known events are skipped. */
  #take(events: readonly LogEvent[], whose: 'own' | 'others'): void {
    for (const event of events) {
      if (event.seq <= this.#state.seq) continue
      if (event.seq === 1 && !this.machine.begins(event)) throw new OtherMachine(this.address)
      // The process whose append starts work in a log at rest becomes its owner.
      if (whose === 'others' && !this.hasWork) this.#writes.ownership.doubt()
      this.#state = this.machine.evolve(this.#state, event)
      this.#kept(event)
    }
    if (whose === 'others' && events.length > 0) this.#othersWrote()
  }

  #othersWrote(): void {
    for (const listener of this.#listeners) listener.othersWrote()
  }
}
