/**
 * Code of the application at the four places where it counts: before the model reads what was said, on what it writes as
 * it comes, before a call becomes one, and before a reply stands.
 *
 * A hook that fails, or takes too long, is never passed over: what it was to look after would get through. Hooks may run
 * again after a crash, until what they gave is in the log.
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
  /** Each gets what the one before lets through. */
  readonly onStream?: readonly StreamHook[]
  /** How many replies of a turn may be sent back. Default: 2. */
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
  /** What it adds stays in the prompts of later turns; otherwise it is for this turn alone. */
  readonly durable?: boolean
  readonly run: (context: MessageContext) => MessageAnswer | Promise<MessageAnswer>
}

/** They see the same message, may only add, and what they add is put together in the order given here. */
export interface ParallelHooks {
  readonly parallel: readonly MessageHook[]
}

export interface MessageContext extends HookContext {
  /** What the model will read, as the hooks before left it. */
  readonly parts: readonly UserPart[]
  /** Its text alone. */
  readonly text: string
  /** What it is made of: messages, with who said them, and answers that came late. */
  readonly items: readonly Inbound[]
}

export type MessageAnswer =
  | undefined
  | void
  | {
      /** Put before what was said. */
      readonly add?: string | readonly UserPart[]
      /** Read by the model in place of what was said, from now on. The log keeps what was said. */
      readonly replace?: string | readonly UserPart[]
    }
  /** The model is not asked, and the turn ends. */
  | Halt

export interface CallHook extends HookBase {
  readonly run: (context: CallContext) => CallAnswer | Promise<CallAnswer>
}

export interface CallContext extends HookContext {
  readonly call: { readonly id: string; readonly name: string }
  readonly executor: Executor
  /** As the model wrote it, or as the hooks before left it. */
  readonly input: Json
}

export type CallAnswer =
  | undefined
  | void
  /** The call is not made; the model reads why. */
  | { readonly veto: string }
  /** The call is made with this. The model is told. */
  | { readonly input: Json }

export interface ReplyHook extends HookBase {
  readonly run: (context: ReplyContext) => ReplyAnswer | Promise<ReplyAnswer>
}

export interface ReplyContext extends HookContext {
  readonly reply: Reply
  readonly text: string
  /** How many replies of this turn were sent back so far. */
  readonly sentBack: number
}

export type ReplyAnswer =
  | undefined
  | void
  /** The model is asked once more, with this as what is to be better. */
  | { readonly again: string }
  | Halt

export interface StreamHook {
  readonly name: string
  /** Called once for each reply. */
  readonly open: (context: Omit<HookContext, 'signal'>) => StreamTransform
}

/** In the way of every piece of every reply: it must be fast, and it cannot wait for anything. */
export interface StreamTransform {
  /** What is to go on in its place: nothing, one or several. */
  part(part: ModelPart): ModelPart | readonly ModelPart[] | undefined
  /** The reply is over: what was held back. */
  end?(): readonly ModelPart[]
}
