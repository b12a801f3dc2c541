/**
 * The events of a conversation's log. State, holds, prompts and views are computed from them. A name says what happened. A
 * released shape may get new optional fields and never loses one.
 */
import type { Json } from '../json.ts'
import type { Actor, Decider } from '../principal.ts'
import type { Reply } from '../model/reply.ts'
import type { OutputSpec } from '../model/model.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold, Resolution } from '../turn/hold.ts'
import type { Plan } from '../plan/plan.ts'
import type { RuleDecision } from '../rule/rule.ts'
import type { SpaceEvent } from './space-event.ts'
import type { Author, Inbound, UserPart } from './message.ts'

export type LogEvent = EventBody & {
  /** 1 for the first event of a conversation, then without gaps. */
  readonly seq: number
  readonly at: number
}

export type EventBody = ConversationEvent | SpaceEvent

/** An event that is to be written. `at`: when it happened, if it is copied from another log. Default: the time of the append. */
export type NewEvent = EventBody & { readonly at?: number }

export type ConversationEvent =
  /** A caller created the conversation before its first message. */
  | ({ readonly type: 'conversation.opened'; readonly agent: string } & Omit<Actor, 'onBehalfOf'>)
  /** The events before this one were copied from another conversation, up to this seq. */
  | ({
      readonly type: 'conversation.forked'
      readonly from: { readonly conversationId: string; readonly seq: number }
    } & Omit<Actor, 'onBehalfOf'>)
  /** People were added to the conversation or removed, or it has another owner. */
  | ({
      readonly type: 'participants.changed'
      readonly add: readonly string[]
      readonly remove: readonly string[]
      readonly owner?: string
    } & Omit<Actor, 'onBehalfOf'>)
  /** All that is left of an erased conversation. Its seq follows that of the last event, and the store has no other. */
  | ({
      readonly type: 'conversation.erased'
      readonly agent: string
      readonly reason?: string
      readonly policy?: 'retention'
    } & Actor)
  /** The store was restored from a backup. Events after the backup are lost, and calls that were under way are in doubt. */
  | { readonly type: 'conversation.restored' }
  | {
      readonly type: 'turn.started'
      readonly turnId: string
      readonly agent: string
      /** Empty when the turn continues one that stopped early. */
      readonly items: readonly Inbound[]
      /** How many of the items came from the queue. */
      readonly queued?: number
      /** The seq at which the last of those was queued. */
      readonly upTo?: number
      /** A cycle of an autonomous agent: it takes the whole queue, and its tools act for the agent itself. */
      readonly cycle?: true
      readonly limits: TurnLimits
      readonly output?: OutputPlan
      /** Channels or webhooks wait for news of the conversation. */
      readonly tellsNews?: true
    }
  | { readonly type: 'message.queued'; readonly item: Inbound }
  /** Hooks changed the turn's message. The changes stay in later prompts. */
  | {
      readonly type: 'message.changed'
      readonly turnId: string
      /** The model reads this instead of the message. */
      readonly replacement?: readonly UserPart[]
      /** The model reads this before the message. */
      readonly added?: readonly UserPart[]
      /** A hook refused the message, or failed: the model never reads the message. */
      readonly withheld?: true
      readonly hooks: readonly string[]
    }
  | {
      readonly type: 'model.replied'
      readonly turnId: string
      readonly step: number
      readonly reply: Reply
      /** Why a reply without calls ends the turn. Left out when the model simply finished. */
      readonly ends?: EndReason
      /** The message for `ends`. */
      readonly message?: string
      /** A hook ended the turn because of this reply, or failed on it. The reply is not shown. */
      readonly withheld?: true
      /** A hook sent the reply back, and the model is called again. */
      readonly again?: { readonly hook: string; readonly feedback: string }
      /** Which part of the log the model was shown, if it is not the same part as before. */
      readonly shown?: Shown
      /** The failed attempts before this reply. */
      readonly attempts?: readonly FailedAttempt[]
      /** In the log of an autonomous agent: the space that it is in, and the spaces of its calls. */
      readonly spaces?: ReplySpaces
      /** How the calls of the reply are shown, where that is not the default. */
      readonly display?: readonly Display[]
    }
  /** A hook changed the input of a call. */
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
      /** What the handler stored for its next run. Not shown to the people who answer. */
      readonly state?: Json
    }
  /** The call runs again: with the answer that its handler waited for, or without a `resolution` at its deadline. */
  | ({ readonly type: 'call.resumed'; readonly callId: string; readonly resolution?: Resolution } & Decider)
  /** One of several approvers approved. */
  | ({
      readonly type: 'call.endorsed'
      readonly callId: string
      readonly by: string
      readonly inputHash: string
    } & Decider)
  /** The approvers of the hold were reminded. */
  | { readonly type: 'hold.reminded'; readonly callId: string }
  /** The hold was escalated: these people and groups may resolve it too. */
  | { readonly type: 'hold.escalated'; readonly callId: string; readonly to: readonly string[] }
  /** The hold was assigned to a person. Without `assignee`, it was released. */
  | ({ readonly type: 'hold.assigned'; readonly callId: string; readonly assignee?: string } & Actor)
  | ({ readonly type: 'hold.commented'; readonly callId: string; readonly text: string } & Actor)
  | ({
      readonly type: 'call.approved'
      readonly callId: string
      readonly resolution: Resolution
      /** The edited input as the tool's schema returns it. */
      readonly effective?: Json
      /** The hash of the only input that may run now. */
      readonly inputHash: string
      readonly fingerprint: string
    } & Decider)
  /** Rules matched the call. What follows of it is in the next event of the call. */
  | {
      readonly type: 'call.judged'
      readonly callId: string
      /** What the rules in force decided. */
      readonly decision?: RuleDecision
      /** What the rules in shadow mode would have decided. */
      readonly shadow?: RuleDecision
    }
  /** The gate, or a rule, decided that this input needs no approval. Any other input still does. */
  | {
      readonly type: 'call.cleared'
      readonly callId: string
      readonly inputHash: string
      readonly fingerprint: string
    }
  | { readonly type: 'call.started'; readonly callId: string; readonly attempt: number }
  | ({
      readonly type: 'call.settled'
      readonly callId: string
      readonly outcome: CallOutcome
      readonly resolution?: Resolution
      /** The handler or the error policy asked for the turn to end after this round. */
      readonly halt?: TurnHalt
    } & Decider)
  /** An answer arrived after its call was settled: the call is async, or the answer late. */
  | ({
      readonly type: 'answer.arrived'
      readonly callId: string
      readonly name: string
      readonly outcome: CallOutcome
      readonly resolution?: Resolution
      /** The space where the call is shown. */
      readonly shownIn?: string
      /** The call is silent, so the answer is too. */
      readonly silent?: true
      /** The authors of what the call's turn was about. */
      readonly askedBy?: readonly Author[]
    } & Decider)
  | { readonly type: 'state.changed'; readonly plugin: string; readonly value: Json }
  | {
      readonly type: 'turn.ended'
      readonly turnId: string
      readonly reason: EndReason
      readonly message?: string
      readonly attempts?: readonly FailedAttempt[]
    }
  /** A plan was made, or one with the same id was replaced. */
  | { readonly type: 'plan.set'; readonly plan: Plan }
  | { readonly type: 'plan.removed'; readonly planId: string }
  /** The plan fired once for each time of `due`, which is empty when all were skipped. Without `next`, the plan is over. */
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
  /** The oldest notices of the outbox were delivered. */
  | { readonly type: 'notices.delivered'; readonly count: number }

/** Ends the turn once no call is open. `skipped`: the agent had nothing to do, and later prompts leave the turn out. */
export interface TurnHalt {
  readonly reason: 'halted' | 'tool_error' | 'skipped'
  readonly message: string
}

/** The spaces that an autonomous agent's reply is about. */
export interface ReplySpaces {
  /** The space that the agent is in after the reply. */
  readonly current?: string
  /** The agent left a space in this reply. It is no longer in the space that it was woken from (`OpenTurn.startSpace`). */
  readonly left?: true
  /** The calls that the agent made in a space. `shown`: the members of the space see the call. */
  readonly calls: readonly { readonly callId: string; readonly space: string; readonly shown?: true }[]
}

/** How a call is shown. */
export interface Display {
  /** For a call that the model's vendor ran: the vendor's id. */
  readonly callId: string
  /** It reports progress. */
  readonly streaming?: true
  /** The call is left out of the messages, unless a person is asked about it. */
  readonly silent?: true
}

/** The part of a log that a prompt shows. */
export interface Shown {
  /** Events from this seq on are shown. */
  readonly from: number
  /** Results of calls before this seq are left out. */
  readonly stubs?: number
  /** The last seq that the summary in the prompt covers. */
  readonly summary?: number
}

/** A model call that failed. */
export interface FailedAttempt {
  readonly model: string
  readonly message: string
  readonly status?: number
  /** How long the runtime waited before the next attempt. */
  readonly delayMs?: number
}

export interface TurnLimits {
  readonly maxSteps: number
  readonly maxTokens?: number
}

/** The schema of the turn's output. `finalize`: the output is requested in a second pass, after the tool loop. */
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
