/** The state a log folds to, and the work that follows from it. */
import type { Json } from '../json.ts'
import type { EndReason, OutputPlan, Shown, TurnHalt, TurnLimits } from '../log/log-event.ts'
import type { Author, Inbound } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import type { Resumption } from '../tool/context.ts'
import type { ToolDefinition } from '../tool/definition.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Endorsement, Hold, Resolved } from './hold.ts'
import type { Notice } from '../log/notice.ts'

export interface Conversation {
  /** The seq of the last event folded. */
  readonly seq: number
  /** Whose conversation it is; empty before anything was said. */
  readonly agent: string
  readonly turn: Turn
  /** What arrived while a turn was going on, and waits for rest. */
  readonly queue: readonly Queued[]
  /** What of the log the model was shown last, unless it was shown everything. */
  readonly shown: Shown | undefined
  /** Async calls whose turn went on without them, still waiting for their answer. */
  readonly waiting: ReadonlyMap<string, Call>
  /** The state of each plugin. */
  readonly plugins: Readonly<Record<string, Json>>
  /** By id: what it is to be reminded of. */
  readonly plans: ReadonlyMap<string, Plan>
  /** The space that the agent is in, while a turn lasts. */
  readonly place: string | undefined
  /** What other logs have to be told, oldest first. */
  readonly outbox: readonly Notice[]
}

/** Something that waits for rest, and the seq of the event that brought it. */
export interface Queued {
  readonly seq: number
  readonly item: Inbound
}

export type Turn =
  | { readonly phase: 'rest'; readonly last: EndedTurn | undefined }
  | (OpenTurn & { readonly phase: 'model' })
  | (OpenTurn & { readonly phase: 'calls'; readonly calls: readonly Call[] })

export interface EndedTurn {
  readonly turnId: string
  /** The authors of what it was about: for the turn that takes it up again. */
  readonly askedBy: readonly Author[]
  readonly reason: EndReason
  readonly message: string | undefined
}

export interface OpenTurn {
  readonly turnId: string
  /** The one author of what the turn is about; undefined in a cycle of an autonomous agent. */
  readonly by: string | undefined
  /** All of its authors, each once. */
  readonly askedBy: readonly Author[]
  /** In a cycle: the space that all its authors spoke in. The agent is there when it acts, until it leaves a space. */
  readonly home: string | undefined
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
  readonly halt: TurnHalt | undefined
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
  readonly approved:
    | { readonly inputHash: string; readonly fingerprint: string; readonly definition?: ToolDefinition }
    | undefined
  /** Those of several approvers who agreed so far, with what they agreed to. */
  readonly endorsed: readonly Endorsement[]
  /** How often it was held so far: the number of its newest hold. */
  readonly holds: number
  /** What the handler gave to be kept when it asked, or said that it would look later. */
  readonly kept: Json | undefined
  /** The answer or time that it continues with, until it asks again. `from` is the attempt that asked. */
  readonly resumed: (Resumption & { readonly from: number }) | undefined
  /** Every resolution taken, oldest first. */
  readonly resolved: readonly Resolved[]
  readonly attempt: number
  /** Every event about it, the reply that made it first. */
  readonly seqs: readonly number[]
  /** The space it was made in, and whether it is shown there. */
  readonly place: { readonly space: string; readonly shown: boolean } | undefined
  /** Its tool reports progress. */
  readonly streaming?: true
  /** It is not shown among the messages of its conversation, unless a person is asked about it. */
  readonly silent?: true
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
  | { readonly do: 'start-call'; readonly key: string; readonly call: Call }
  | { readonly do: 'run-call'; readonly key: string; readonly call: Call }
  | { readonly do: 'expire-hold'; readonly key: string; readonly callId: string; readonly at: number }
  | { readonly do: 'fire-plan'; readonly key: string; readonly planId: string; readonly at: number }
  | { readonly do: 'deliver'; readonly key: string; readonly notices: readonly Notice[] }

/** An effect that is not due before its time. Then any process may perform it. */
export function isDeadline(effect: Effect): effect is Extract<Effect, { readonly at: number }> {
  return 'at' in effect
}

export const emptyConversation: Conversation = {
  seq: 0,
  agent: '',
  turn: { phase: 'rest', last: undefined },
  queue: [],
  shown: undefined,
  waiting: new Map(),
  plugins: {},
  plans: new Map(),
  place: undefined,
  outbox: [],
}
