/** The state that a conversation's log folds to, and the effects that follow from it. */
import type { Json } from '../json.ts'
import type { EndReason, OutputPlan, Shown, TurnHalt, TurnLimits } from '../log/log-event.ts'
import type { Author, Inbound } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import type { RuleDecision } from '../rule/rule.ts'
import type { Resumption } from '../tool/context.ts'
import type { ToolDefinition } from '../tool/definition.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Endorsement, Hold, HoldComment, Resolved } from './hold.ts'
import type { Erasure } from './erased.ts'
import { NO_PEOPLE, type People } from './people.ts'
import type { Notice } from '../log/notice.ts'

export interface Conversation {
  /** The seq of the last event folded. */
  readonly seq: number
  /** The agent's name; empty before the first event. */
  readonly agent: string
  readonly people: People
  /** Set once it was erased. Then nothing else is. */
  readonly erased: Erasure | undefined
  readonly turn: Turn
  /** Items that arrived during a turn and wait for the next one. */
  readonly queue: readonly Queued[]
  /** The part of the log that the last prompt showed; undefined when it showed all. */
  readonly shown: Shown | undefined
  /** Async calls of earlier turns that still wait for their answer. */
  readonly waiting: ReadonlyMap<string, Call>
  /** The state of each plugin. */
  readonly plugins: Readonly<Record<string, Json>>
  /** The agent's plans, by id. */
  readonly plans: ReadonlyMap<string, Plan>
  /** The space that the agent is in during a turn. */
  readonly space: string | undefined
  /** The newest turn began where channels or webhooks wait for news: see `tell-news.ts`. */
  readonly tellsNews: boolean
  /** Notices for other logs that are not delivered yet, oldest first. */
  readonly outbox: readonly Notice[]
  /** The store was restored from a backup, and no message or answer came since. Until then, no work begins by itself. */
  readonly restored: boolean
}

/** A queued item, and the seq of the event that queued it. */
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
  /** The authors of the turn, for a turn that continues it. */
  readonly askedBy: readonly Author[]
  readonly reason: EndReason
  readonly message: string | undefined
}

export interface OpenTurn {
  readonly turnId: string
  /** The author of the turn; undefined in a cycle of an autonomous agent. */
  readonly by: string | undefined
  /** All authors of the turn, each once. */
  readonly askedBy: readonly Author[]
  /** The `traceparent` of the request that began the turn. */
  readonly trace?: string
  /** In a cycle: the space that all its authors wrote in. The agent's calls are made there, until it leaves a space. */
  readonly startSpace: string | undefined
  /** The current step, from 1. */
  readonly step: number
  readonly limits: TurnLimits
  readonly tokens: number
  readonly output: OutputPlan | undefined
  /** `finalize`: the tool loop is over, and the model is called once more for the structured output. */
  readonly pass: 'loop' | 'finalize'
  /** The log has the changes of hooks to the turn's message. */
  readonly messageChanged: boolean
  /** How many replies hooks sent back. */
  readonly repliesSentBack: number
  /** Set when the turn is to end once no call is open. */
  readonly halt: TurnHalt | undefined
}

interface CallFacts {
  readonly callId: string
  readonly name: string
  /** The input that the model wrote. */
  readonly proposed: Json
  readonly malformed: string | undefined
  /** The input after an edit by a hook or an approver. It stays when the call is held again. */
  readonly edited: Json | undefined
  /** What the approval is bound to, of a person or of the gate. Set while the approval is valid. */
  readonly approved:
    | { readonly inputHash: string; readonly fingerprint: string; readonly definition?: ToolDefinition }
    | undefined
  /** What the rules in force decided about the call, when they were last asked. */
  readonly judged?: RuleDecision | undefined
  /** The approvals so far of a hold that needs several. */
  readonly endorsed: readonly Endorsement[]
  /** How often the call was held: the number of its newest hold. */
  readonly holds: number
  /** What the handler stored when it returned `ask` or `later`. */
  readonly kept: Json | undefined
  /** The answer or deadline that the call continues with. `from` is the attempt that asked. */
  readonly resumed: (Resumption & { readonly from: number }) | undefined
  /** Every accepted resolution, oldest first. */
  readonly resolved: readonly Resolved[]
  readonly attempt: number
  /** The seq of each event about the call, beginning with the reply that made it. */
  readonly seqs: readonly number[]
  /** The space that the agent was in when it made the call, and whether the call is shown there. */
  readonly inSpace: { readonly space: string; readonly shown: boolean } | undefined
  /** The person whom its open hold is assigned to. */
  readonly assignee?: string | undefined
  /** The comments on its open hold. */
  readonly comments?: readonly HoldComment[]
  /** Its tool reports progress. */
  readonly streaming?: true
  /** The call is left out of the messages, unless a person is asked about it. */
  readonly silent?: true
  /** The store was restored from a backup that was made before the call was settled. */
  readonly restored?: true
}

export type Call = CallFacts &
  (
    | { readonly at: 'ready' }
    | { readonly at: 'held'; readonly hold: Hold }
    | { readonly at: 'running' }
    /** `hold`: the hold that was open when the call was settled without an answer. `open`: it still is, for an async call. */
    | { readonly at: 'settled'; readonly outcome: CallOutcome; readonly hold: Hold | undefined; readonly open: boolean }
  )

/** The work that follows from a state. Two effects with the same key are the same work. */
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

/** Whether the effect is a deadline: it is not due before its time, and then any process may perform it. */
export function isDeadline(effect: Effect): effect is Extract<Effect, { readonly at: number }> {
  return 'at' in effect
}

export const emptyConversation: Conversation = {
  seq: 0,
  agent: '',
  people: NO_PEOPLE,
  erased: undefined,
  turn: { phase: 'rest', last: undefined },
  queue: [],
  shown: undefined,
  waiting: new Map(),
  plugins: {},
  plans: new Map(),
  space: undefined,
  outbox: [],
  restored: false,
  tellsNews: false,
}
