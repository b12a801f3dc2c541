/** What making a prompt and a summary reads of a conversation's log. */
import type { LogEvent } from '../log/log-event.ts'
import type { Address, Note } from '../log/store.ts'
import type { Transcript } from '../prompt/transcript.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Summary } from './summary.ts'

/** For a prompt. */
export interface PromptLog {
  readonly state: Conversation
  /** The newest events, which are in memory. */
  readonly events: readonly LogEvent[]
  readonly transcript: Transcript
  /** Whether every event is in memory. */
  readonly isWhole: boolean
  /** Fetches older events until the one with that seq is in memory, or enough of them are. */
  reachUntil(seq: number, enough: (transcript: Transcript) => boolean): Promise<void>
  /** Drops events before that seq from memory. */
  forget(seq: number): void
}

/** For a summary. */
export interface SummaryLog {
  readonly address: Address
  summary(again?: boolean): Promise<Summary | undefined>
  newestSummary(): Promise<Summary | undefined>
  page(after: number, limit: number): Promise<readonly LogEvent[]>
  note(note: Note): Promise<void>
}
