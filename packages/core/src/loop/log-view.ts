/** What a step reads of a conversation: the log as it is, or as it will be once a draft is written. */
import type { Transcript } from '../prompt/transcript.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Draft } from './draft.ts'
import type { Log } from './log.ts'

export interface LogView extends Pick<
  Log,
  'address' | 'id' | 'state' | 'events' | 'transcript' | 'isWhole' | 'reachUntil' | 'reachTurn' | 'forget' | 'summary'
> {
  /** The log itself, for what does not belong to the step. */
  readonly written: Log
}

interface Ahead {
  /** Where the log has got to. */
  readonly before: Conversation
  readonly state: Conversation
  readonly events: Draft['numbered']
}

/** It is the log itself from the moment that the log goes on: by the draft, or by what others wrote before it. */
export class LogAhead implements LogView {
  readonly written: Log
  readonly #ahead: Ahead
  /** The draft is written, and what goes ahead of it does so no longer. */
  landed = false
  #forgets = 0

  constructor(written: Log, draft: Draft) {
    this.written = written
    this.#ahead = { before: draft.before, state: draft.after, events: [...draft.numbered] }
  }

  land(): void {
    this.landed = true
    this.written.forget(this.#forgets)
  }

  get address(): Log['address'] {
    return this.written.address
  }

  get id(): string {
    return this.written.id
  }

  get state(): Conversation {
    return this.#draft?.state ?? this.written.state
  }

  get events(): Log['events'] {
    return this.#draft ? [...this.written.events, ...this.#draft.events] : this.written.events
  }

  get transcript(): Transcript {
    return this.#with(this.written.transcript)
  }

  get isWhole(): boolean {
    return this.written.isWhole
  }

  reachUntil(seq: number, enough: (transcript: Transcript) => boolean): Promise<void> {
    return this.written.reachUntil(seq, (transcript) => enough(this.#with(transcript)))
  }

  async reachTurn(turnId: string | undefined): Promise<void> {
    const here = this.#draft?.events.some((event) => event.type === 'turn.started' && event.turnId === turnId)
    if (!here) await this.written.reachTurn(turnId)
  }

  /** What a draft may leave out is there until the draft is written. */
  forget(seq: number): void {
    if (this.#draft) this.#forgets = seq
    else this.written.forget(seq)
  }

  summary(anew?: boolean): ReturnType<Log['summary']> {
    return this.written.summary(anew)
  }

  /** Asked each time: the log has the draft before anybody is told that it was written, and must not have it twice. */
  get #draft(): Ahead | undefined {
    return this.written.state === this.#ahead.before ? this.#ahead : undefined
  }

  #with(transcript: Transcript): Transcript {
    return this.#draft ? transcript.with(this.#draft.events) : transcript
  }
}
