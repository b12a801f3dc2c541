/**
 * Everything that is ever written about a conversation. A log is a gapless list of these; state, holds, prompts and
 * views are computed from it. Names say what happened; once released, a shape is only ever added to.
 */
import type { Json } from '../json.ts'
import type { Reply } from '../model/reply.ts'
import type { OutputSpec } from '../model/model.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold, Resolution } from '../turn/hold.ts'
import type { Plan } from '../plan/plan.ts'
import type { SpaceEvent } from './space-event.ts'
import type { Author, Inbound, UserPart } from './message.ts'

export type LogEvent = EventBody & {
  /** 1 for the first event of a conversation, then without gaps. */
  readonly seq: number
  readonly at: number
}

export type EventBody = ConversationEvent | SpaceEvent

export type ConversationEvent =
  /** A caller created the conversation before its first message. */
  | { readonly type: 'conversation.opened'; readonly agent: string; readonly by?: string }
  | {
      readonly type: 'turn.started'
      readonly turnId: string
      readonly agent: string
      /** Empty when a turn that stopped early is taken up again. */
      readonly items: readonly Inbound[]
      /** How many of the items came out of the queue. */
      readonly queued?: number
      /** The seq at which the last of those was queued. */
      readonly upTo?: number
      /** A cycle of an autonomous agent: it is about everything that waited, and its tools act for the agent itself. */
      readonly cycle?: true
      readonly limits: TurnLimits
      readonly output?: OutputPlan
    }
  | { readonly type: 'message.queued'; readonly item: Inbound }
  /** What hooks made of what was said, where that shall stay. */
  | {
      readonly type: 'turn.briefed'
      readonly turnId: string
      /** Read by the model in place of what was said. */
      readonly said?: readonly UserPart[]
      /** Read by the model before it. */
      readonly added?: readonly UserPart[]
      /** A hook did not let it through, or failed: the model never reads what was said. */
      readonly withheld?: true
      readonly hooks: readonly string[]
    }
  | {
      readonly type: 'model.replied'
      readonly turnId: string
      readonly step: number
      readonly reply: Reply
      /** Why a reply without calls ends the turn, when that is not because the model was done. */
      readonly ends?: EndReason
      /** What there is to say about that. */
      readonly message?: string
      /** A hook ended the turn over it, or failed on it: it is not shown as the agent's reply. */
      readonly withheld?: true
      /** A hook sent it back, and the model is asked once more. */
      readonly again?: { readonly hook: string; readonly feedback: string }
      /** What of the log the model was shown, when that is not what it was shown before. */
      readonly shown?: Shown
      /** The attempts that failed before. */
      readonly attempts?: readonly FailedAttempt[]
      /** In an agent's life: where it is now, and where its calls belong. */
      readonly placed?: Placed
      /** What the tools of its calls declare about how a call is shown, where that is not the default. */
      readonly display?: readonly Display[]
    }
  /** A hook put another input in the place of the model's. */
  | {
      readonly type: 'call.rewritten'
      readonly callId: string
      readonly input: Json
      readonly hooks: readonly string[]
    }
  | {
      readonly type: 'call.held'
      readonly callId: string
      readonly hold: Hold
      /** What the handler needs to go on. Its own, and nothing for those who answer. */
      readonly state?: Json
    }
  /** What the handler waited for is there: the same call runs again. Without a resolution, its time had come. */
  | { readonly type: 'call.resumed'; readonly callId: string; readonly resolution?: Resolution; readonly by?: string }
  /** One of several approvers said yes. */
  | { readonly type: 'call.endorsed'; readonly callId: string; readonly by: string; readonly inputHash: string }
  | {
      readonly type: 'call.approved'
      readonly callId: string
      readonly by?: string
      readonly resolution: Resolution
      /** An edited input as the tool's schema leaves it. */
      readonly effective?: Json
      /** What may run now, and nothing else. */
      readonly inputHash: string
      readonly fingerprint: string
    }
  /** The gate decided that this input needs no approval. It says nothing about any other input. */
  | {
      readonly type: 'call.cleared'
      readonly callId: string
      readonly inputHash: string
      readonly fingerprint: string
    }
  | { readonly type: 'call.started'; readonly callId: string; readonly attempt: number }
  | {
      readonly type: 'call.settled'
      readonly callId: string
      readonly outcome: CallOutcome
      readonly resolution?: Resolution
      readonly by?: string
      /** The handler or the error policy asked for the turn to end after this round. */
      readonly halt?: TurnHalt
    }
  /** An answer that came after its call had been settled: async by declaration, or late. */
  | {
      readonly type: 'answer.arrived'
      readonly callId: string
      readonly name: string
      readonly outcome: CallOutcome
      readonly resolution?: Resolution
      readonly by?: string
      /** The space where the call is shown, if it is. */
      readonly shownIn?: string
      /** The call is silent, and so is its answer. */
      readonly silent?: true
      /** The authors of what the call's turn was about. */
      readonly askedBy?: readonly Author[]
    }
  | { readonly type: 'state.changed'; readonly plugin: string; readonly value: Json }
  | {
      readonly type: 'turn.ended'
      readonly turnId: string
      readonly reason: EndReason
      readonly message?: string
      readonly attempts?: readonly FailedAttempt[]
    }
  /** Under the id of one that is there, it takes its place. */
  | { readonly type: 'plan.set'; readonly plan: Plan }
  | { readonly type: 'plan.removed'; readonly planId: string }
  /** Its time has come: once for each of `due`, which is empty when all of them are passed over. Without `next` it is over. */
  | {
      readonly type: 'plan.fired'
      readonly planId: string
      readonly what: string
      readonly due: readonly number[]
      readonly missed: number
      readonly next?: number
      /** As the plan has it. */
      readonly askedBy?: readonly Author[]
    }
  /** The oldest notices of the outbox are where they belong. */
  | { readonly type: 'notices.told'; readonly count: number }

/** Ends the turn once no call is open. `skipped`: nothing was done, and nothing of it is remembered. */
export interface TurnHalt {
  readonly reason: 'halted' | 'tool_error' | 'skipped'
  readonly message: string
}

export interface Placed {
  /** The space that the agent is in after the reply, if it is in one. */
  readonly space?: string
  /** It left a space: from now on it is where it goes, and not where it was woken from. */
  readonly left?: true
  /** The calls that were made in a space; `shown` to everybody there. */
  readonly calls: readonly { readonly callId: string; readonly space: string; readonly shown?: true }[]
}

/** How a call is shown. */
export interface Display {
  /** Of a call that the model's vendor carried out, the vendor's id. */
  readonly callId: string
  /** It reports progress. */
  readonly streaming?: true
  /** It is not shown among the messages of its conversation, unless a person is asked about it. */
  readonly silent?: true
}

/** Where a prompt begins. What comes before is not touched: it is only not shown. */
export interface Shown {
  /** The seq from which on everything is shown. */
  readonly from: number
  /** Results of calls from before this seq are left out. */
  readonly stubs?: number
  /** The summary of what comes before: the seq it reaches to. */
  readonly summary?: number
}

/** A call of the model's vendor that brought nothing. */
export interface FailedAttempt {
  readonly model: string
  readonly message: string
  readonly status?: number
  /** How long was waited then. */
  readonly delayMs?: number
}

export interface TurnLimits {
  readonly maxSteps: number
  readonly maxTokens?: number
}

/** A turn whose result must fit a schema; `finalize` asks for it in a pass of its own after the tool loop. */
export interface OutputPlan {
  readonly spec: OutputSpec
  readonly finalize: boolean
}

export type EndReason =
  | 'completed'
  | 'halted'
  | 'tool_error'
  | 'max_steps'
  | 'budget'
  | 'stop_condition'
  | 'cancelled'
  | 'superseded'
  | 'expired'
  | 'model_failed'
  | 'interrupted'
  | 'output_invalid'
  | 'context_full'
  | 'hook_failed'
  | 'skipped'
