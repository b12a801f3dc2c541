/**
 * One conversation's log in this process: the state it folds to, and its newest events. Nobody else keeps state; whoever
 * wants to write decides on `state` and appends, and on a conflict the log has already caught up when it says so.
 *
 * - Folding starts at the state the store kept at the last rest, so a long conversation costs what a short one does.
 * - Older events are fetched when somebody needs them: a prompt that shows them, an answer to a call of last week.
 * - A store that fails, or cannot say whether it wrote, is asked again with the same write until it knows.
 */
import { HoldpointError } from '../failure.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Address, Append, Note, Store } from '../log/store.ts'
import { SUMMARY, summaryOf, type Summary } from '../context/summary.ts'
import type { Ports } from '../ports.ts'
import { Transcript } from '../prompt/transcript.ts'
import { fromBase } from '../turn/base.ts'
import { callIn } from '../turn/call.ts'
import { findCall } from '../turn/decide.ts'
import { hasWork } from '../turn/derive.ts'
import { evolve } from '../turn/turn.ts'
import { emptyConversation, type Call, type Conversation } from '../turn/turn-state.ts'
import { Draft } from './draft.ts'
import type { Decided, LogOptions, Repeated, Through, Written } from './log-options.ts'
import type { Stop } from './stop.ts'
import { Writes, type Writer } from './writes.ts'

const PAGE = 256
const KEPT_OF_SPACE = 16
const OUTSIDER: Writer = { as: 'outsider' }

export class Log {
  readonly address: Address
  /** The newest events, from a place where a turn begins; all of them if nothing was left out. */
  readonly events: LogEvent[] = []
  /** The same, as what a prompt is made of. */
  readonly transcript: Transcript = new Transcript()
  state: Conversation = emptyConversation
  readonly #store: Store
  readonly #ports: Ports
  readonly #options: LogOptions
  readonly #writes: Writes
  readonly #listeners = new Set<(event: LogEvent) => void>()
  /** Called when others wrote something. */
  onOthers: () => void = () => {}
  #marks = 0
  /** The newest seq that somebody told us of. */
  #heard = 0
  #following: Promise<void> | undefined
  #mark: string | undefined
  /** Null: there is none. */
  #summary: Summary | null | undefined
  #loaded = false

  constructor(address: Address, store: Store, ports: Ports, options: LogOptions = {}) {
    this.address = address
    this.#store = store
    this.#ports = ports
    this.#options = options
    this.#writes = new Writes(store, ports, options.patienceMs, (error) => options.stuck?.(error, address))
  }

  get id(): string {
    return this.address.id
  }

  /** Set while this process is the one to drive. */
  get epoch(): number | undefined {
    return this.#writes.ownership.epoch
  }

  /** Whether it is for this process to drive: among several, for the one that the store says. */
  get drivable(): boolean {
    return this.#options.node === undefined || (this.epoch !== undefined && !this.#writes.ownership.uncertain)
  }

  /** Whether the store has to be asked what became of a write, or who drives. */
  get inDoubt(): boolean {
    return this.#writes.inDoubt
  }

  /** Reads on: what others wrote since, and at first the state that was kept and what came after it. */
  async refresh(): Promise<void> {
    if (this.#loaded) return this.#readOn(Infinity)
    const loaded = await this.#store.load(this.address)
    if (this.#loaded) return this.#readOn(Infinity) // somebody else was faster, and took more
    this.#loaded = true
    if (!loaded) return
    if (loaded.base && this.state.seq === 0) this.state = fromBase(loaded.base.seq, loaded.base.state)
    this.#take(loaded.events, 'others')
  }

  /** Somebody says that the log has reached this seq. What we are writing ourselves at the moment, we shall know soon. */
  async heard(seq: number): Promise<void> {
    this.#heard = Math.max(this.#heard, seq)
    if (this.#writes.underWay) return
    if (this.#heard > this.state.seq) await (this.#following ??= this.#follow())
    await this.#writes.clearUp(this.state.seq)
    await this.#askWhoDrives()
  }

  /** One reading serves all who bring tidings meanwhile. */
  async #follow(): Promise<void> {
    try {
      if (!this.#loaded) await this.refresh()
      for (let seq = -1; seq < this.state.seq && this.state.seq < this.#heard;) {
        seq = this.state.seq
        await this.#readOn(this.#heard)
      }
    } finally {
      this.#following = undefined
    }
  }

  /** A store may give them a few at a time. */
  async #readOn(until: number): Promise<void> {
    while (this.state.seq < until) {
      const events = await this.#store.read(this.address, this.state.seq)
      if (events.length === 0) return
      this.#take(events, 'others')
    }
  }

  /** See `LogView`. */
  get written(): Log {
    return this
  }

  /** Whether all of it is here. */
  get isWhole(): boolean {
    return this.#first === 1
  }

  /** Fetches older events until the one with that seq is there, or enough of them are. */
  async reachUntil(seq: number, enough: (transcript: Transcript) => boolean): Promise<void> {
    while (this.#first > seq && !enough(this.transcript)) await this.#fetchOlder()
  }

  /** Fetches older events until this one is there. */
  async reachBack(seq: number): Promise<void> {
    while (this.#first > Math.max(seq, 1)) await this.#fetchOlder()
  }

  /** Fetches older events until the beginning of this turn is there, or of the newest one. */
  async reachTurn(turnId: string | undefined): Promise<void> {
    const begins = (event: LogEvent): boolean =>
      event.type === 'turn.started' && (turnId ?? event.turnId) === event.turnId
    while (this.#first > 1 && !this.events.findLast(begins)) await this.#fetchOlder()
  }

  /** Forgets events before that seq; they are in the store. */
  forget(seq: number): void {
    const kept = seq - this.#first
    if (kept <= 0 || this.#options.whole) return
    this.events.splice(0, kept)
    this.transcript.forget(seq)
  }

  /** Decides and writes what was decided, again after each conflict. A no is held against the store like a yes by its append. */
  change<D extends Decided>(decide: (state: Conversation) => D | Promise<D>): Promise<D>
  /** `key` is the caller's own: what was written under it before is not written again. */
  change<D extends Decided>(
    decide: (state: Conversation) => D | Promise<D>,
    key: string | undefined,
    through?: Through,
  ): Promise<D | Repeated>
  async change<D extends Decided>(
    decide: (state: Conversation) => D | Promise<D>,
    key?: string,
    through?: Through,
  ): Promise<D | Repeated> {
    for (;;) {
      const seq = this.state.seq
      const deciding = decide(this.state)
      const decision = deciding instanceof Promise ? await deciding : deciding
      if (this.state.seq !== seq) continue
      if (decision.events && decision.events.length > 0) {
        const writer: Writer = key === undefined ? OUTSIDER : { as: 'outsider', key }
        const written = await this.append(decision.events, writer, decision.recalled, through)
        if (typeof written === 'object') return written
        if (written === 'ok') return decision
      } else {
        await this.refresh()
        if (this.state.seq === seq) return decision
      }
    }
  }

  append(
    events: readonly EventBody[],
    writer?: Writer,
    recalled?: readonly Call[],
    through: Through = (_draft, write) => write(),
  ): Promise<Written> {
    const draft = this.draft()
    draft.add(events)
    return through(draft, () => this.write(draft, writer, recalled))
  }

  /** For what is to be written where the log has got to. */
  draft(): Draft {
    return new Draft(this.state, this.#ports.now())
  }

  /** After `conflict` and `repeated` the state is the newest. */
  async write(draft: Draft, writer: Writer = OUTSIDER, recalled: readonly Call[] = []): Promise<Written> {
    const answer = await this.#writes.write(this.#compose(draft, writer, recalled), writer)
    switch (answer.result) {
      case 'ok':
        this.#loaded = true
        this.#takeOwn(answer.events, draft)
        if (this.#heard > this.state.seq) await this.#writes.patiently(() => this.refresh(), writer)
        if (this.#mayHaveLost(writer)) await this.#writes.patiently(() => this.#askWhoDrives(), writer)
        return 'ok'
      case 'conflict':
        await this.#writes.patiently(() => this.refresh(), writer)
        if (this.#mayHaveLost(writer)) await this.#writes.patiently(() => this.#askWhoDrives(), writer)
        return 'conflict'
      case 'repeated':
        await this.#writes.patiently(() => this.refresh(), writer)
        return { repeated: answer.seq }
      case 'fenced':
        return 'fenced'
    }
  }

  /**
   * The store gave the conversation to us. What others wrote before is read first, however long that takes: nobody else
   * comes for it now, and read later it would look as if they wrote it after us.
   */
  async takeOver(epoch: number, stop: Pick<Stop, 'signal'>): Promise<void> {
    await this.#writes.patiently(() => this.refresh(), { as: 'driver', epoch, stop })
    const { ownership } = this.#writes
    ownership.told({ epoch, owned: true }, ownership.doubts)
  }

  #mayHaveLost(writer: Writer): boolean {
    return writer.as === 'driver' && this.#writes.ownership.uncertain
  }

  async #askWhoDrives(): Promise<void> {
    if (!this.#writes.ownership.uncertain) return
    await this.#writes.askWhoDrives()
    this.onOthers()
  }

  /** A call of any turn, as the log has it. */
  async find(callId: string): Promise<Call | undefined> {
    const current = findCall(this.state, callId)
    if (current) return current
    const events = this.#first === 1 ? this.events : await this.#store.readCall(this.address, callId)
    // The store may know of it from a turn that did not come here yet: what is decided must be decided on that.
    if (events.some(({ seq }) => seq > this.state.seq)) return this.refresh().then(() => this.find(callId))
    return callIn(events, callId)
  }

  /** Events after a seq, straight from the store. */
  page(after: number, limit: number): Promise<readonly LogEvent[]> {
    return this.#store.read(this.address, after, limit)
  }

  /** Keeps a note beside the log. */
  keep(note: Note): Promise<void> {
    return this.#store.note(this.address, note)
  }

  /** The newest summary of its beginning. Another process may have made a newer one than is known here. */
  async summary(anew = false): Promise<Summary | undefined> {
    if (anew || this.#summary === undefined || (this.state.shown?.summary ?? 0) > (this.#summary?.upTo ?? 0))
      this.#summary = (await this.newestSummary()) ?? null
    return this.#summary ?? undefined
  }

  /** As the store has it, which prompts need not show yet. */
  async newestSummary(): Promise<Summary | undefined> {
    const [note] = await this.#store.notes(this.address, { kind: SUMMARY, limit: 1 })
    return note && summaryOf(note)
  }

  /** The one that prompts show, if anybody has asked for it. */
  get knownSummary(): Summary | undefined {
    return this.#summary ?? undefined
  }

  /** Where the write under this key ended, if there was one. */
  findKey(key: string): Promise<number | undefined> {
    return this.#store.findKey(this.address, key)
  }

  listen(listener: (event: LogEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get #first(): number {
    return this.events[0]?.seq ?? this.state.seq + 1
  }

  async #fetchOlder(): Promise<void> {
    const first = this.#first
    const older = await this.#store.readBack(this.address, first, PAGE)
    if (older.length === 0)
      throw new HoldpointError('history-impossible', `The events before ${first} are missing. Restore the log.`)
    // Somebody else may have fetched them meanwhile.
    if (this.#first !== first) return
    this.events.unshift(...older)
    this.transcript.addOlder(older)
  }

  #compose(draft: Draft, writer: Writer, recalled: readonly Call[]): Append {
    this.#mark ??= this.#ports.id()
    const mark = `${this.#mark}.${(this.#marks++).toString(36)}`
    return draft.toAppend({ to: this.address, mark, node: this.#options.node }, writer, recalled)
  }

  /** Where nothing came in between, what it leads to is known. */
  #takeOwn(events: readonly LogEvent[], { before, after, events: given }: Draft): void {
    if (this.state !== before || events.length !== given.length) return this.#take(events, 'own')
    this.state = after
    for (const event of events) this.#keep(event)
  }

  #keep(event: LogEvent): void {
    this.events.push(event)
    this.transcript.add(event)
    for (const listener of this.#listeners) listener(event)
    // What was said in a space is read from the store by whoever wants it.
    if (this.state.space) this.forget(event.seq - KEPT_OF_SPACE)
  }

  /** Two appends may overlap in flight and answer in any order; what is already known is skipped. */
  #take(events: readonly LogEvent[], whose: 'own' | 'others'): void {
    for (const event of events) {
      if (event.seq <= this.state.seq) continue
      // Whoever sets a resting conversation going drives it.
      if (whose === 'others' && !hasWork(this.state)) this.#writes.ownership.doubt()
      this.state = evolve(this.state, event)
      this.#keep(event)
    }
    if (whose === 'others' && events.length > 0) this.onOthers()
  }
}
