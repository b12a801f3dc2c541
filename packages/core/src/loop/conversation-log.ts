/**
 * The log of a conversation. Its newest events stay in memory, from a place where a turn begins, because prompts are made
 * of them. Older events are fetched when they are needed: a prompt that shows them, an answer to a call of last week.
 */
import { SUMMARY, summaryOf, type Summary } from '../context/summary.ts'
import { HoldpointError } from '../failure.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Address, Note, Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'
import { Transcript } from '../prompt/transcript.ts'
import { callIn } from '../turn/call.ts'
import { conversationMachine } from '../turn/conversation-machine.ts'
import { findCall } from '../turn/decide.ts'
import type { Call, Conversation, Effect } from '../turn/turn-state.ts'
import type { ConversationLogOptions } from './log-options.ts'
import { Log } from './log.ts'

const PAGE = 256

export class ConversationLog extends Log<Conversation, Effect> {
  /** The newest events; all of them if none was left out. */
  readonly events: LogEvent[] = []
  /** The same, as prompts are made of them. */
  readonly transcript: Transcript = new Transcript()
  readonly #whole: boolean
  /** Null: there is none. */
  #summary: Summary | null | undefined

  constructor(address: Address, store: Store, ports: Ports, options: ConversationLogOptions = {}) {
    super(conversationMachine, address, store, ports, options)
    this.#whole = options.whole ?? false
  }

  /** Whether every event is in memory. */
  get isWhole(): boolean {
    return this.#first === 1
  }

  /** Fetches older events until the one with that seq is in memory, or enough of them are. */
  async reachUntil(seq: number, enough: (transcript: Transcript) => boolean): Promise<void> {
    while (this.#first > seq && !enough(this.transcript)) await this.#fetchOlder()
  }

  /** Fetches older events until the one with this seq is in memory. */
  async reachBack(seq: number): Promise<void> {
    while (this.#first > Math.max(seq, 1)) await this.#fetchOlder()
  }

  /** Fetches older events until the start of this turn is in memory, or of the newest one. */
  async reachTurn(turnId: string | undefined): Promise<void> {
    const begins = (event: LogEvent): boolean =>
      event.type === 'turn.started' && (turnId ?? event.turnId) === event.turnId
    while (this.#first > 1 && !this.events.findLast(begins)) await this.#fetchOlder()
  }

  /** Drops events before that seq from memory; they are in the store. */
  forget(seq: number): void {
    const kept = seq - this.#first
    if (kept <= 0 || this.#whole) return
    this.events.splice(0, kept)
    this.transcript.forget(seq)
  }

  /** A call of any turn, as the log has it. */
  async find(callId: string): Promise<Call | undefined> {
    const current = findCall(this.state, callId)
    if (current) return current
    const events = this.#first === 1 ? this.events : await this.store.readCall(this.address, callId)
    // The store may have events of it that were not read here yet: a decision must see them.
    if (events.some(({ seq }) => seq > this.state.seq)) return this.refresh().then(() => this.find(callId))
    return callIn(events, callId)
  }

  /** Events after a seq, straight from the store. */
  page(after: number, limit: number): Promise<readonly LogEvent[]> {
    return this.store.read(this.address, after, limit)
  }

  /** Keeps a note beside the log. */
  note(note: Note): Promise<void> {
    return this.store.note(this.address, note)
  }

  /** The newest summary of its beginning. Another process may have made a newer one than is known here. */
  async summary(again = false): Promise<Summary | undefined> {
    if (again || this.#summary === undefined || (this.state.shown?.summary ?? 0) > (this.#summary?.upTo ?? 0))
      this.#summary = (await this.newestSummary()) ?? null
    return this.#summary ?? undefined
  }

  /** As the store has it, which prompts need not show yet. */
  async newestSummary(): Promise<Summary | undefined> {
    const [note] = await this.store.notes(this.address, { kind: SUMMARY, limit: 1 })
    return note && summaryOf(note)
  }

  /** The one that prompts show, if it was read. */
  get knownSummary(): Summary | undefined {
    return this.#summary ?? undefined
  }

  protected override keep(event: LogEvent): void {
    this.events.push(event)
    this.transcript.add(event)
  }

  get #first(): number {
    return this.events[0]?.seq ?? this.state.seq + 1
  }

  async #fetchOlder(): Promise<void> {
    const first = this.#first
    const older = await this.store.readBack(this.address, first, PAGE)
    if (older.length === 0)
      throw new HoldpointError('history-impossible', `The events before ${first} are missing. Restore the log.`)
    // Another caller may have fetched them meanwhile.
    if (this.#first !== first) return
    this.events.unshift(...older)
    this.transcript.addOlder(older)
  }
}
