/**
 * The log of a conversation. The events of its newest turns stay in memory, because prompts are made of them. Older events
 * are read from the store when they are needed: for a longer prompt, or for an answer to an old call.
 */
import { SUMMARY, summaryOf, type Summary } from '@holdpoint/core/internal/context/summary'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address, Note, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { Transcript } from '@holdpoint/core/internal/prompt/transcript'
import { callIn } from '@holdpoint/core/internal/turn/call'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { findCall } from '@holdpoint/core/internal/turn/find-call'
import type { Call, Conversation, Effect } from '@holdpoint/core/internal/turn/turn-state'
import type { ConversationLogOptions } from '../log/log-options.ts'
import { Log } from '../log/log.ts'

const PAGE = 256

export class ConversationLog extends Log<Conversation, Effect> {
  /** The newest events, or all of them (`isWhole`). */
  readonly events: LogEvent[] = []
  /** The same events in the form that prompts are made of. */
  readonly transcript: Transcript = new Transcript()
  readonly #whole: boolean
  /** `null` when the conversation has no summary, undefined when the store was not asked yet. */
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
    while (this.#first > 1 && !this.startOf(turnId)) await this.#fetchOlder()
  }

  /** The start of this turn, or of the newest one, if it is in memory. */
  startOf(turnId: string | undefined): Extract<LogEvent, { readonly type: 'turn.started' }> | undefined {
    return this.events.findLast(
      (event) => event.type === 'turn.started' && (turnId ?? event.turnId) === event.turnId,
    ) as ReturnType<ConversationLog['startOf']>
  }

  /** Drops events before that seq from memory; they are in the store. */
  forget(seq: number): void {
    const kept = seq - this.#first
    if (kept <= 0 || this.#whole) return
    this.events.splice(0, kept)
    this.transcript.forget(seq)
  }

  /** A call of any turn. */
  async find(callId: string): Promise<Call | undefined> {
    const current = findCall(this.state, callId)
    if (current) return current
    const events = this.#first === 1 ? this.events : await this.store.readCall(this.address, callId)
    // The store may have newer events of the call. A decision needs them too.
    if (events.some(({ seq }) => seq > this.state.seq)) return this.refresh().then(() => this.find(callId))
    return callIn(events, callId)
  }

  /** Events after a seq, from the store. */
  page(after: number, limit: number): Promise<readonly LogEvent[]> {
    return this.store.read(this.address, after, limit)
  }

  /** Stores a note beside the log. */
  note(note: Note): Promise<void> {
    return this.store.note(this.address, note)
  }

  /** The newest summary of the oldest turns. It is read again when another process has made a newer one. */
  async summary(again = false): Promise<Summary | undefined> {
    if (again || this.#summary === undefined || (this.state.shown?.summary ?? 0) > (this.#summary?.upTo ?? 0))
      this.#summary = (await this.newestSummary()) ?? null
    return this.#summary ?? undefined
  }

  /** The newest summary in the store. Prompts may not show it yet. */
  async newestSummary(): Promise<Summary | undefined> {
    const [note] = await this.store.notes(this.address, { kind: SUMMARY, limit: 1 })
    return note && summaryOf(note)
  }

  /** The summary that prompts show, if it was read. */
  get knownSummary(): Summary | undefined {
    return this.#summary ?? undefined
  }

  protected override keep(event: LogEvent): void {
    if (event.type === 'conversation.erased') this.#drop()
    this.events.push(event)
    this.transcript.add(event)
  }

  protected override forgetAll(): void {
    this.#drop()
    this.#summary = undefined
  }

  get #first(): number {
    // Before the tombstone there is nothing to fetch.
    if (this.state.erased) return 1
    return this.events[0]?.seq ?? this.state.seq + 1
  }

  #drop(): void {
    this.events.length = 0
    this.transcript.clear()
    this.#summary = null
  }

  async #fetchOlder(): Promise<void> {
    const first = this.#first
    const older = await this.store.readBack(this.address, first, PAGE)
    // The store may have lost events. Then this finds out, and starts again.
    if (older.length === 0) await this.refresh()
    if (older.length === 0 && this.#first === first)
      throw new HoldpointError('history-impossible', `The events before ${first} are missing. Restore the log.`)
    // Another caller may have read the same events meanwhile.
    if (this.#first !== first) return
    this.events.unshift(...older)
    this.transcript.addOlder(older)
  }
}
