/** The state a log folds to, and the work that follows from it. */
import type { Json } from '../json.ts'
import type { EndReason, OutputPlan, Shown, TurnLimits } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold, Resolved } from './hold.ts'

export interface Conversation {
  /** The seq of the last event folded. */
  readonly seq: number
  /** Whose conversation it is; empty before anything was said. */
  readonly agent: string
  readonly turn: Turn
  /** What arrived while a turn was going on, and waits for rest. */
  readonly queue: readonly Inbound[]
  /** What of the log the model was shown last, unless it was shown everything. */
  readonly shown: Shown | undefined
  /** Async calls whose turn went on without them, still waiting for their answer. */
  readonly waiting: ReadonlyMap<string, Call>
  /** The state of each plugin. */
  readonly plugins: Readonly<Record<string, Json>>
}

export type Turn =
  | { readonly phase: 'rest'; readonly last: EndedTurn | undefined }
  | (OpenTurn & { readonly phase: 'model' })
  | (OpenTurn & { readonly phase: 'calls'; readonly calls: readonly Call[] })

export interface EndedTurn {
  readonly turnId: string
  /** Who said what it was about: for the turn that takes it up again. */
  readonly by: string | undefined
  readonly reason: EndReason
  readonly message: string | undefined
}

export interface OpenTurn {
  readonly turnId: string
  /** Who said what the turn is about. */
  readonly by: string | undefined
  /** The step that is being worked on, from 1. */
  readonly step: number
  readonly limits: TurnLimits
  readonly tokens: number
  readonly output: OutputPlan | undefined
  /** `finalize`: the tool loop is over, and the result is asked for once more, bound to the schema. */
  readonly pass: 'loop' | 'finalize'
  /** What hooks made of what was said is written. */
  readonly briefed: boolean
  /** How many of its replies were sent back. */
  readonly sentBack: number
  /** Set when the turn is to end once no call is open. */
  readonly halt: { readonly reason: 'halted' | 'tool_error'; readonly message: string } | undefined
}

interface CallFacts {
  readonly callId: string
  readonly name: string
  /** What the model proposed. */
  readonly proposed: Json
  readonly malformed: string | undefined
  /** What a hook put in its place, or a person when they approved; kept if the call is held again. */
  readonly edited: Json | undefined
  /** What a yes is bound to, a person's or the gate's own; set while it is good. */
  readonly approved: { readonly inputHash: string; readonly fingerprint: string } | undefined
  /** Those of several approvers who agreed so far, with what they agreed to. */
  readonly endorsed: readonly { readonly by: string; readonly inputHash: string }[]
  /** How often it was held so far: the number of its newest hold. */
  readonly holds: number
  /** Every resolution taken, oldest first. */
  readonly resolved: readonly Resolved[]
  readonly attempt: number
  /** Every event about it, the reply that made it first. */
  readonly seqs: readonly number[]
}

export type Call = CallFacts &
  (
    | { readonly at: 'ready' }
    | { readonly at: 'held'; readonly hold: Hold }
    | { readonly at: 'running' }
    /** `hold` is the one it was waiting on when it was settled without an answer; still open when the call is async. */
    | { readonly at: 'settled'; readonly outcome: CallOutcome; readonly hold: Hold | undefined; readonly open: boolean }
  )

/** What there is to do. Two effects with the same key are the same piece of work. */
export type Effect =
  | { readonly do: 'start-turn'; readonly key: 'turn' }
  | {
      readonly do: 'end-turn'
      readonly key: 'turn'
      readonly turnId: string
      readonly reason: EndReason
      readonly message?: string
    }
  | { readonly do: 'call-model'; readonly key: string; readonly turn: OpenTurn }
  | { readonly do: 'run-call'; readonly key: string; readonly call: Call }
  | { readonly do: 'recover-call'; readonly key: string; readonly call: Call }
  | { readonly do: 'expire-hold'; readonly key: string; readonly callId: string; readonly at: number }

export const emptyConversation: Conversation = {
  seq: 0,
  agent: '',
  turn: { phase: 'rest', last: undefined },
  queue: [],
  shown: undefined,
  waiting: new Map(),
  plugins: {},
}
