/** What a conversation needs of where it is worked on. */
import type { Frame } from '../live/frame.ts'
import type { Agent } from './agent.ts'
import type { Scope } from '../tool/context.ts'
import type { Telling } from '../turn/notices.ts'
import type { Conversation } from '../turn/turn-state.ts'

export interface Surroundings {
  /** See `World`. */
  mayWork(): boolean
  term(): number
  /** What is set going here is driven here, and at once: so it may be begun before it is written. */
  readonly drivesAtOnce?: boolean
  /** A conversation stays with the agent that it began with: what is said to another one is refused. */
  readonly oneAgent?: true
  /** Who asked, made from what the log knows. Without it, turns have the scope that their callers gave. */
  scope?(by: string | undefined): Scope
  /** Shows others what it is about, besides those who watch the conversation. */
  readonly relay?: Relay | undefined
  /** See `World`. */
  tell?(telling: Telling): Promise<void>
  /** Something went wrong that stops nobody. */
  problem?(error: unknown): void
}

/** Passes frames on to where they are about something. */
export interface Relay {
  watched(state: Conversation): boolean
  show(frame: Frame, state: Conversation, agent: Agent): void
}

export const alone: Surroundings = { mayWork: () => true, term: () => 0 }
