/**
 * Hooks: functions of the application that run before the model reads a message, on each piece of a reply, before a call is
 * made, and before a reply ends the turn.
 *
 * A hook that fails or takes too long ends the turn or vetoes the call: ignored, it would let through what it has to stop.
 * After a crash, a hook may run again, until its result is in the log.
 */
import type { Duration } from '../duration.ts'
import type { Json } from '../json.ts'
import type { Inbound, UserPart } from '../log/message.ts'
import type { ModelPart } from '../model/model.ts'
import type { Reply } from '../model/reply.ts'
import type { Services } from '../plugin/services.ts'
import type { Scope } from '../tool/context.ts'
import type { Halt } from '../tool/handler-result.ts'
import type { Executor } from '../tool/tool-options.ts'

export interface Hooks {
  /** One after the other; those of a parallel group at the same time. */
  readonly beforeMessage?: readonly (MessageHook | ParallelHooks)[]
  /** One after the other, on every call of the model, before an approver is asked. */
  readonly beforeCall?: readonly CallHook[]
  /** One after the other, on a reply that would end the turn. */
  readonly afterMessage?: readonly ReplyHook[]
  /** Each hook gets the parts that the one before it returns. */
  readonly onStream?: readonly StreamHook[]
  /** How many replies of a turn hooks may send back. Default: 2. */
  readonly regenerations?: number
}

interface HookBase {
  /** Kept with what it did. */
  readonly name: string
  /** Default: 30 seconds. */
  readonly timeout?: Duration
}

export interface HookContext {
  readonly conversation: { readonly id: string; readonly turnId: string }
  readonly scope: Scope
  readonly services: Services
  readonly signal: AbortSignal
}

export interface MessageHook extends HookBase {
  /** Whether its additions stay in the prompts of later turns. Default: they are only for this turn. */
  readonly durable?: boolean
  readonly run: (context: MessageContext) => MessageHookResult | Promise<MessageHookResult>
}

/** Hooks that run at the same time. They get the same message and may only add to it, in the order given here. */
export interface ParallelHooks {
  readonly parallel: readonly MessageHook[]
}

export interface MessageContext extends HookContext {
  /** The message as the model will read it, after the hooks before this one. */
  readonly parts: readonly UserPart[]
  /** Its text alone. */
  readonly text: string
  /** The items of the turn: messages with their authors, and answers that arrived later. */
  readonly items: readonly Inbound[]
}

export type MessageHookResult =
  | undefined
  | void
  | {
      /** Added before the message. */
      readonly add?: string | readonly UserPart[]
      /** Replaces the message in this and later prompts. The log keeps the original. */
      readonly replace?: string | readonly UserPart[]
    }
  /** Ends the turn before the model is called. */
  | Halt

export interface CallHook extends HookBase {
  readonly run: (context: CallContext) => CallHookResult | Promise<CallHookResult>
}

export interface CallContext extends HookContext {
  readonly call: { readonly id: string; readonly name: string }
  readonly executor: Executor
  /** The input that the model wrote, after the hooks before this one. */
  readonly input: Json
}

export type CallHookResult =
  | undefined
  | void
  /** The call is not made; the model reads why. */
  | { readonly veto: string }
  /** The call is made with this. The model is told. */
  | { readonly input: Json }

export interface ReplyHook extends HookBase {
  readonly run: (context: ReplyContext) => ReplyHookResult | Promise<ReplyHookResult>
}

export interface ReplyContext extends HookContext {
  readonly reply: Reply
  readonly text: string
  /** How many replies of this turn were sent back so far. */
  readonly repliesSentBack: number
}

export type ReplyHookResult =
  | undefined
  | void
  /** The model is called again, with this as feedback. */
  | { readonly again: string }
  | Halt

export interface StreamHook {
  readonly name: string
  /** Called once for each reply. */
  readonly open: (context: Omit<HookContext, 'signal'>) => StreamTransform
}

/** Runs for each piece of each reply, so it must be fast, and it is synchronous. */
export interface StreamTransform {
  /** The parts to pass on instead: none, one or several. */
  part(part: ModelPart): ModelPart | readonly ModelPart[] | undefined
  /** Called at the end of the reply. Returns parts that were held back. */
  end?(): readonly ModelPart[]
}
