/** The access to a conversation's log that prompts and summaries need. */
import type { LogEvent } from '../log/log-event.ts'
import type { Address, Note } from '../log/store.ts'
import type { Transcript } from '../prompt/transcript.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Summary } from './summary.ts'

/** The access that a prompt needs. */
export interface PromptLog {
  readonly state: Conversation
  /** The newest events, which are in memory. */
  readonly events: readonly LogEvent[]
  readonly transcript: Transcript
  /** Whether every event is in memory. */
  readonly isWhole: boolean
  /** Loads older events until the event `seq` is in memory, or `enough` returns true. */
  reachUntil(seq: number, enough: (transcript: Transcript) => boolean): Promise<void>
  /** Drops the events before `seq` from memory. */
  forget(seq: number): void
}

/** The access that a summary needs. */
export interface SummaryLog {
  readonly address: Address
  summary(again?: boolean): Promise<Summary | undefined>
  newestSummary(): Promise<Summary | undefined>
  page(after: number, limit: number): Promise<readonly LogEvent[]>
  note(note: Note): Promise<void>
}
