/**
 * What a person sees of a conversation, as plain JSON. Two halves that never mix: everything but `live` follows from
 * the events alone; `live` is what frames said since, may be dropped at any time, and makes nothing else change.
 */
import type { Json } from '../json.ts'
import type { Display, EndReason, OutputPlan } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'
import type { ConversationStatus } from '../log/store.ts'
import type { Reply } from '../model/reply.ts'
import type { RuleDecision } from '../rule/rule.ts'
import type { Erasure } from '../turn/erased.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Endorsement, Hold, HoldComment, Resolved } from '../turn/hold.ts'

export interface View {
  /** The first event it knows: 1, or where its page of the log begins. One more than `seq` while it knows none. */
  readonly from: number
  /** The last event it knows. */
  readonly seq: number
  /** The newest event it heard of, when some before that are missing. Apply those after `seq`, and it goes away. */
  readonly behind?: number
  /** Whose conversation it is; empty before anything was said. */
  readonly agent: string
  readonly status: ConversationStatus
  /** Set once the conversation was erased. Then there is nothing else to show. */
  readonly erased?: Erasure
  /** As the events have them; `turnsOf` adds what is live. */
  readonly turns: readonly ViewTurn[]
  /** What came while a turn was going on, and waits for its own. */
  readonly queue: readonly Inbound[]
  /** Open holds of async calls, whose turn went on without them. */
  readonly waiting: readonly ViewHold[]
  readonly live: ViewLive
}

export interface ViewTurn {
  readonly turnId: string
  readonly agent: string
  readonly startedAt: number
  /** What it is about: messages, and answers that came after their own turn. None when an earlier turn is taken up again. */
  readonly items: readonly Inbound[]
  readonly steps: readonly ViewStep[]
  readonly output?: OutputPlan
  readonly ended?: { readonly reason: EndReason; readonly message?: string; readonly at: number }
}

/** A step takes one place in the list from its first frame on: streaming, then with its reply. */
export type ViewStep =
  | {
      readonly step: number
      readonly reply: Reply
      readonly repliedAt: number
      /** The calls among the reply's parts, in their order. */
      readonly calls: readonly ViewCall[]
      /** A hook did not let it pass, and the model was asked once more. */
      readonly sentBack?: { readonly hook: string; readonly feedback: string }
      /** A hook ended the turn over it. */
      readonly withheld?: true
      readonly display?: readonly Display[]
      readonly streaming?: never
    }
  /** From `turnsOf` only. */
  | { readonly step: number; readonly streaming: ViewStreaming; readonly calls: readonly []; readonly reply?: never }

interface CallFacts {
  readonly callId: string
  readonly name: string
  /** What the model asked for. */
  readonly proposed: Json
  /** Why that is not an input at all, and what the model wrote. */
  readonly malformed?: string
  /** What runs: as the tool's schema and those who approved it left it, as far as the log knows. */
  readonly input: Json
  /** Its tool reports progress while it is carried out. */
  readonly streaming?: true
  /** Its tool is not visible: `messagesOf` leaves it out, unless a person is or was asked about it. */
  readonly silent?: true
  /** How often it was started. */
  readonly attempt: number
  /** The newest start. */
  readonly startedAt?: number
  /** How often it was held. */
  readonly holds: number
  /** Every answer that was taken, oldest first. */
  readonly resolved: readonly ViewResolved[]
  /** The rule that decided the call: it passed, was held or was denied because of it. */
  readonly rule?: RuleDecision
  /** The newest word from the handler while the call is open. From `turnsOf` and `messagesOf` only. */
  readonly progress?: Json
}

/** `hold` is there if and only if it can still be resolved. */
export type ViewCall = CallFacts &
  (
    | { readonly state: 'ready' | 'running'; readonly hold?: never; readonly outcome?: never }
    | { readonly state: 'held'; readonly hold: ViewHold; readonly outcome?: never }
    | {
        readonly state: 'settled'
        readonly outcome: CallOutcome
        readonly settledAt: number
        /** Async: the model read that the answer is pending and went on; the answer will start a turn of its own. */
        readonly hold?: ViewHold
        /** The hold that was open when the call was settled without an answer. `late` says whether one is still taken. */
        readonly missed?: ViewHold
        /** The answer that came after the call was settled: async, or late. */
        readonly arrived?: { readonly outcome: CallOutcome; readonly at: number; readonly by?: string }
      }
  )

/** Everything that is needed to draw a hold and to resolve it, wherever it is met. */
export interface ViewHold extends Hold {
  readonly callId: string
  readonly name: string
  readonly proposed: Json
  /** Which of the call's holds it is, from 1. */
  readonly nth: number
  readonly heldAt: number
  /** Who of several approvers agreed so far, to exactly this input. */
  readonly endorsedBy: readonly string[]
  /** All approvals so far, also those of a changed input. Left out while there is none. */
  readonly endorsements?: readonly Endorsement[]
  /** The person to whom the hold is assigned. */
  readonly assignee?: string
  readonly comments?: readonly HoldComment[]
  /** The tool of the call reports progress. */
  readonly streaming?: true
}

export interface ViewResolved extends Resolved {
  readonly heldAt: number
  /** With several approvers: all who approved exactly the input that ran, in order. `by` is the last of them. */
  readonly approvals?: readonly Endorsement[]
}

/** What frames said about the newest turn. */
export interface ViewLive {
  readonly reply?: ViewStreaming & { readonly turnId: string; readonly step: number }
  /** Of open calls, newest word each. */
  readonly progress: readonly { readonly callId: string; readonly value: Json }[]
}

/** A reply as far as it was heard. */
export interface ViewStreaming {
  /** Which try it is. Unknown when its beginning was missed: then what is shown lacks a beginning too. */
  readonly attempt?: number
  readonly parts: readonly StreamingPart[]
  /** The try before failed, and after a pause there will be another. */
  readonly retry?: { readonly attempt: number; readonly delayMs: number; readonly message: string }
}

/** `id` is the vendor's. */
export type StreamingPart =
  | { readonly type: 'text' | 'reasoning'; readonly streaming: true; readonly id: string; readonly text: string }
  /** A call as the model writes it: `text` is JSON in the making. Once whole, it has its id and its input. */
  | {
      readonly type: 'call-input'
      readonly streaming: true
      readonly id: string
      readonly name: string
      readonly text: string
      readonly callId?: string
      readonly input?: Json
    }
