/**
 * A log as passages: a message, with everything that followed from it, and with the turns that continued it. A
 * prompt is made of whole passages, so that no call is parted from its result and no reply from what it is about.
 *
 * It grows with the log, at both ends: showing the end of a long conversation does not read all of it.
 */
import type { LogEvent } from '../log/log-event.ts'
import { isSpaceEvent, type SpaceEvent } from '../log/space-event.ts'
import { callsOf } from '../model/reply.ts'
import type { Rendered } from './render.ts'

export interface Passage {
  /** The seq of its first event. */
  readonly from: number
  /** Those that a prompt is made of. */
  readonly events: readonly PromptEvent[]
  /** What was said, each reply, and the results of a round, are a message each. */
  readonly messages: number
  /** In order. */
  readonly calls: readonly PassageCall[]
  /** How it was rendered last. Private to the renderer. */
  rendered?: { readonly key: string; vendorIds?: Rendered; ownIds?: Rendered } | undefined
  /** What it takes when nothing of it is left out, in tokens. */
  tokens?: number | undefined
  /** What it would save to leave out the result of a call, in tokens. Private to the renderer. */
  savings?: Map<string, number>
}

export interface PassageCall {
  readonly callId: string
  readonly name: string
  /** Of the reply that made it. */
  readonly seq: number
}

export type PromptEvent = Extract<
  LogEvent,
  { type: 'turn.started' | 'turn.briefed' | 'model.replied' | 'call.approved' | 'call.rewritten' | 'call.settled' }
>

type ConversationEvent = Exclude<LogEvent, SpaceEvent>

/** While it grows. */
interface Growing extends Passage {
  readonly events: PromptEvent[]
  messages: number
  readonly calls: PassageCall[]
}

export class Transcript {
  readonly #passages: Growing[] = []
  /** What comes before the first beginning: nothing, or the end of a passage that is not wholly here. */
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
    if (isSpaceEvent(event)) return // a space is read, and never told to a model as a whole
    if (begins(event)) this.#passages.push({ from: event.seq, events: [], messages: 0, calls: [] })
    const passage = this.#passages.at(-1)
    // Where its turn begins on an older page, the end of it is what says that all of it is to be dropped.
    if (!passage) this.#lead.push(event)
    else if (event.type === 'turn.ended' && event.reason === 'skipped') this.#drop(event.turnId)
    else grow(passage, event)
  }

  /** As it will be with these after it; what is here stays as it is. */
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

  /** Events that end right before those that are here. */
  addOlder(events: readonly LogEvent[]): void {
    const older = Transcript.of([...events, ...this.#lead])
    this.#passages.unshift(...older.#passages)
    this.#lead = older.#lead
  }

  /** A turn in which the agent had nothing to do leaves no trace in what it is told later. */
  #drop(turnId: string): void {
    const [first, ...more] = this.#passages.at(-1)?.events.filter(({ type }) => type === 'turn.started') ?? []
    if (first?.type === 'turn.started' && first.turnId === turnId && more.length === 0) this.#passages.pop()
  }

  clear(): void {
    this.#passages.length = 0
    this.#lead = []
  }

  /** Lets go of everything before that seq. */
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
    case 'turn.briefed':
    case 'call.approved':
    case 'call.rewritten':
    case 'call.settled':
      break
    case 'conversation.opened':
    case 'participants.changed':
    case 'conversation.erased':
    case 'message.queued':
    case 'call.held':
    case 'call.resumed':
    case 'call.endorsed':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
    case 'call.cleared':
    case 'call.started':
    case 'answer.arrived':
    case 'state.changed':
    case 'turn.ended':
    case 'plan.set':
    case 'plan.removed':
    case 'plan.fired':
    case 'notices.told':
      return
  }
  passage.events.push(event)
  passage.rendered = undefined
  passage.tokens = undefined
}

/** Without a message of its own a turn goes on with the one before. */
function begins(event: LogEvent): boolean {
  return event.type === 'turn.started' && event.items.length > 0
}
