/**
 * A log as passages. A passage is a message, its turn, and the turns that continued it. A prompt has whole passages, so a call
 * is never separated from its result, nor a reply from its message.
 *
 * It grows at both ends: to show the end of a long conversation, it need not read the beginning.
 */
import type { LogEvent } from '../log/log-event.ts'
import { isSpaceEvent, type SpaceEvent } from '../log/space-event.ts'
import { callsOf } from '../model/reply.ts'
import type { Rendered } from './render.ts'

export interface Passage {
  /** The seq of its first event. */
  readonly from: number
  /** The events that a prompt shows. */
  readonly events: readonly PromptEvent[]
  /** The number of messages: one for the turn's items, one for each reply, one for the results of each round. */
  readonly messages: number
  /** In order. */
  readonly calls: readonly PassageCall[]
  /** The last rendering. Private to the renderer. */
  rendered?: { readonly key: string; vendorIds?: Rendered; ownIds?: Rendered } | undefined
  /** The tokens of the passage when nothing of it is left out. */
  tokens?: number | undefined
  /** For each call, the tokens saved by leaving out its result. Private to the renderer. */
  savings?: Map<string, number>
}

export interface PassageCall {
  readonly callId: string
  readonly name: string
  /** The seq of the reply that made the call. */
  readonly seq: number
}

export type PromptEvent = Extract<
  LogEvent,
  { type: 'turn.started' | 'message.changed' | 'model.replied' | 'call.approved' | 'call.rewritten' | 'call.settled' }
>

type ConversationEvent = Exclude<LogEvent, SpaceEvent>

/** A passage while it is built. */
interface Growing extends Passage {
  readonly events: PromptEvent[]
  messages: number
  readonly calls: PassageCall[]
}

export class Transcript {
  readonly #passages: Growing[] = []
  /** Events before the first passage: the end of a passage that is not completely loaded. */
  #lead: LogEvent[] = []

  static of(events: Iterable<LogEvent>): Transcript {
    const transcript = new Transcript()
    for (const event of events) transcript.add(event)
    return transcript
  }

  /** Oldest first. */
  get passages(): readonly Passage[] {
    return this.#passages
  }

  add(event: LogEvent): void {
    if (isSpaceEvent(event)) return // prompts do not show spaces
    if (begins(event)) this.#passages.push({ from: event.seq, events: [], messages: 0, calls: [] })
    const passage = this.#passages.at(-1)
    // Its turn may begin on an older page. Then this event tells later that the turn is to be dropped.
    if (!passage) this.#lead.push(event)
    else if (event.type === 'turn.ended' && event.reason === 'skipped') this.#drop(event.turnId)
    else grow(passage, event)
  }

  /** A copy with these events at the end. */
  with(events: readonly LogEvent[]): Transcript {
    const grown = new Transcript()
    grown.#passages.push(...this.#passages)
    grown.#lead = [...this.#lead]
    const last = grown.#passages.at(-1)
    const [first] = events
    if (last && first && !begins(first)) {
      const { from, messages, rendered, tokens } = last
      grown.#passages.splice(-1, 1, {
        from,
        messages,
        rendered,
        tokens,
        events: [...last.events],
        calls: [...last.calls],
      })
    }
    for (const event of events) grown.add(event)
    return grown
  }

  /** Adds the events right before those that are loaded. */
  addOlder(events: readonly LogEvent[]): void {
    const older = Transcript.of([...events, ...this.#lead])
    this.#passages.unshift(...older.#passages)
    this.#lead = older.#lead
  }

  /** Later prompts leave out a turn in which the agent had nothing to do. */
  #drop(turnId: string): void {
    const [first, ...more] = this.#passages.at(-1)?.events.filter(({ type }) => type === 'turn.started') ?? []
    if (first?.type === 'turn.started' && first.turnId === turnId && more.length === 0) this.#passages.pop()
  }

  clear(): void {
    this.#passages.length = 0
    this.#lead = []
  }

  /** Drops everything before that seq. */
  forget(before: number): void {
    const kept = this.#passages.findIndex(({ from }) => from >= before)
    if (kept > 0) this.#passages.splice(0, kept)
    if (kept !== -1) this.#lead = []
  }
}

function grow(passage: Growing, event: ConversationEvent): void {
  switch (event.type) {
    case 'turn.started':
      passage.messages++
      break
    case 'model.replied': {
      const calls = callsOf(event.reply)
      passage.messages += calls.length > 0 ? 2 : 1
      passage.calls.push(...calls.map(({ callId, name }) => ({ callId, name, seq: event.seq })))
      break
    }
    case 'message.changed':
    case 'call.approved':
    case 'call.rewritten':
    case 'call.settled':
      break
    case 'conversation.opened':
    case 'conversation.forked':
    case 'participants.changed':
    case 'conversation.restored':
    case 'conversation.erased':
    case 'message.queued':
    case 'call.held':
    case 'call.resumed':
    case 'call.endorsed':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
    case 'call.judged':
    case 'call.cleared':
    case 'call.started':
    case 'answer.arrived':
    case 'state.changed':
    case 'turn.ended':
    case 'plan.set':
    case 'plan.removed':
    case 'plan.fired':
    case 'notices.delivered':
      return
  }
  passage.events.push(event)
  passage.rendered = undefined
  passage.tokens = undefined
}

/** A turn without items continues the one before. */
function begins(event: LogEvent): boolean {
  return event.type === 'turn.started' && event.items.length > 0
}
