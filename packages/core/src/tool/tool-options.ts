/** What the author of a tool writes, as types: the legal pairs of executor and settings, and nothing else. */
import type { Duration } from '../duration.ts'
import type { Json, JsonObject } from '../json.ts'
import type { OnExpire } from '../turn/hold.ts'
import type { ToolContext } from './context.ts'
import type { HandlerReturns, Special } from './handler-result.ts'
import type { AnySchema, Infer, StandardSchema } from './schema.ts'

export type Executor = 'server' | 'human' | 'client' | 'external' | 'provider'

export interface ApprovalRequest {
  readonly required: boolean
  /** Shown to the approver. */
  readonly reason?: string
  /** How many different people must approve, or which. Default: 1, by any caller that the application admits. */
  readonly approvers?: number | Approvers
  /** Reminds the approvers once, this long after the call was held. */
  readonly remindAfter?: Duration
  /** Asks more people and groups, this long after the call was held. */
  readonly escalate?: { readonly after: Duration; readonly to: readonly string[] }
}

export interface Approvers {
  /** People and groups that may approve or reject: `['ada', 'group:finance']`. */
  readonly anyOf?: readonly string[]
  /** How many different people of them must approve. Default: 1. */
  readonly count?: number
  /** The people who asked may not approve. Default: true when `count` is 2 or more. */
  readonly notRequester?: boolean
}

/** `true` is the same as `'required'`, and `false` the same as `'auto'`. */
export type Approval<Input> =
  | 'auto'
  | 'required'
  | GateAnswer
  | ((context: ToolContext<Input>) => GateAnswer | Promise<GateAnswer>)

/** Whether a person must approve; or that, with the reason and the number of approvers. */
export type GateAnswer = boolean | ApprovalRequest

/** What a `verify` function found out about a call whose process died. */
export type Verified =
  | { readonly happened: true; readonly result: Json }
  | { readonly happened: false }
  /** It cannot tell: a person is asked. */
  | { readonly happened: 'unknown' }

export type OnLost<Input> = 'retry' | 'fail' | 'ask' | ((context: ToolContext<Input>) => Verified | Promise<Verified>)

export type OnLostPolicy = 'retry' | 'fail' | 'ask' | 'verify'

/** How long results stay in the prompt; used when the prompt is made shorter. */
export type Retention = 'keep' | { readonly turns?: number; readonly last?: number }

interface Common<I extends AnySchema> {
  /** May be namespaced: `notes.search`. */
  readonly name: string
  readonly description: string
  readonly input: I
  /** Running time for a server tool, waiting time for the others. */
  readonly timeout?: Duration
  /**
   * It reports progress while it is carried out, so screens show how far it is. Progress of a tool that does not say so is
   * not shown, and the operator is told. Default: true where `run` is an async generator, else false.
   */
  readonly streaming?: boolean
  readonly retention?: Retention
  /** How large a result may be, as JSON; the agent's limit, 1 MB, when not given. A larger one is an error. */
  readonly maxResultBytes?: number
  /** Whether people are shown its calls, in a space or a conversation; yes by default. What a person is asked is shown. */
  readonly visible?: boolean
}

interface Gated<Input> {
  readonly approval?: Approval<Input>
  /** How long a call waits for approval. Default: 7 days. */
  readonly approvalTimeout?: Duration
}

interface Waits {
  /** The outcome of a call that was not answered in time. Default: an error. */
  readonly onExpire?: OnExpire
  /**
   * What happens to an answer after the deadline: it is refused (`reject`), or the agent gets it as a new message
   * (`inbox`). Default: `inbox` for `client` and `external`, `reject` for `human`.
   */
  readonly late?: 'reject' | 'inbox'
}

/** What `run` must give back: what the output schema takes, before its transforms; without one, anything. */
export type Returns<O> = O extends StandardSchema<infer In> ? Widen<In> : unknown

/** What a call comes to: what the output schema makes of it, or what `run` gave back. */
export type Result<O, R> = O extends StandardSchema ? Infer<O> : R

/** The compiler reads `'sent'` in what a function returns as text, so text it must be; the schema checks which when it runs. */
export type Widen<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends (...args: never) => unknown
        ? T
        : T extends readonly (infer E)[]
          ? readonly Widen<E>[]
          : T extends object
            ? { readonly [K in keyof T]: Widen<T[K]> }
            : T

type OutputFor<R> = StandardSchema<R, unknown> | JsonObject | undefined

export interface ServerToolOptions<I extends AnySchema, R, O = OutputFor<R>>
  extends Common<I>, Gated<Infer<I>>, Pick<Waits, 'onExpire'> {
  readonly executor?: 'server'
  readonly output?: O
  /** A function, or an async generator that yields its progress. */
  readonly run: (context: ToolContext<Infer<I>>) => HandlerReturns<R>
  /** What happens to a call whose process died while it ran. Default: `retry`, with the same id. */
  readonly onLost?: OnLost<Infer<I>>
  /** Not run by us: the loop stops and hands the call to the caller, who submits the result. */
  readonly manual?: boolean
  readonly late?: never
  readonly async?: never
}

/** A tool that only the caller carries out needs nothing to run: a manual one, or any in an agent of mode `manual`. */
export interface ManualToolOptions<I extends AnySchema, R, O = OutputFor<R>> extends Omit<
  ServerToolOptions<I, R, O>,
  'run' | 'manual' | 'onLost'
> {
  readonly manual?: boolean
  readonly run?: undefined
  readonly onLost?: never
}

export interface HumanToolOptions<I extends AnySchema, R, O = OutputFor<R>> extends Common<I>, Waits {
  readonly executor: 'human'
  readonly output?: O
  /** The people and groups that may answer: `['ada', 'group:support']`. Default: each caller that the application admits. */
  readonly to?: readonly string[]
  readonly async?: boolean
  /** A call that asks a person needs no approval by another one, so `auto` is the only value. */
  readonly approval?: 'auto' | false
  readonly approvalTimeout?: never
  readonly run?: never
  readonly onLost?: never
  readonly manual?: never
}

interface RemoteBase<I extends AnySchema, O> extends Common<I>, Gated<Infer<I>>, Waits {
  readonly output?: O
  /** The model reads `pending` at once and goes on; the answer starts a turn of its own. */
  readonly async?: boolean
  readonly run?: never
  readonly onLost?: never
  readonly manual?: never
}

interface ClientToolOptions<I extends AnySchema, O> extends RemoteBase<I, O> {
  readonly executor: 'client'
  /**
   * How long a call waits while no client is there that can run it. Default: 5 s, so that the call fails soon when there is
   * none; for an async call the whole timeout. Give the timeout to wait that long in any case. A runtime knows of clients
   * by `attend`, which the gateway calls for those that are connected to it. A session knows of none.
   */
  readonly grace?: Duration
}

interface ExternalToolOptions<I extends AnySchema, O> extends RemoteBase<I, O> {
  readonly executor: 'external'
  readonly grace?: never
}

export type RemoteToolOptions<I extends AnySchema, R, O = OutputFor<R>> =
  | ClientToolOptions<I, O>
  | ExternalToolOptions<I, O>

export interface ProviderToolOptions {
  readonly executor: 'provider'
  readonly name: string
  readonly description?: string
  /** The vendor's own id of the tool: `openai.web_search`. */
  readonly id: string
  readonly args?: JsonObject
  readonly retention?: Retention
  readonly visible?: boolean
  /** The vendor runs it inside its reply, so `auto` is all there is. */
  readonly approval?: 'auto' | false
  readonly run?: never
  readonly input?: never
  readonly timeout?: never
}

export type ToolOptions<I extends AnySchema, O, R> =
  | ServerToolOptions<I, R, O>
  | ManualToolOptions<I, R, O>
  | HumanToolOptions<I, R, O>
  | RemoteToolOptions<I, R, O>
  | ProviderToolOptions

/** Any tool's options, once it was made of them. */
export type AnyToolOptions = ToolOptions<AnySchema, AnySchema | undefined, unknown>

/**
 * Refuses a `run` whose result JSON would drop without a word, and says what to return. What types cannot tell, and what
 * is nested deeper, is refused when it runs.
 */
export type WholeJson<T> = [Lost<T, [1, 1, 1]>] extends [never] ? unknown : { readonly run: Lost<T, [1, 1, 1]> }

/** `Deeper` has one item for each level that is still looked into. */
type Lost<T, Deeper extends readonly unknown[]> = 0 extends 1 & T
  ? never
  : unknown extends T
    ? never
    : T extends Primitive | { toJSON(...args: never): unknown } | Special | Error
      ? never
      : T extends { arrayBuffer(): unknown; text(): unknown }
        ? 'JSON keeps nothing of this result. Return what it holds: await its json() or text().'
        : T extends PromiseLike<unknown>
          ? 'JSON keeps nothing of a promise inside a result. Await it first.'
          : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
            ? 'JSON keeps nothing of a Map or a Set. Return Object.fromEntries(map) or [...set].'
            : T extends ArrayBufferView | ArrayBufferLike
              ? 'JSON keeps nothing of bytes. Return them as base64 text.'
              : T extends symbol | bigint
                ? 'JSON has no such value. Return text.'
                : T extends AsyncIterable<unknown> | Iterator<unknown>
                  ? 'JSON keeps nothing of a stream or an iterator. Read it, and return a list of what it holds.'
                  : T extends (...args: never) => unknown
                    ? 'JSON keeps nothing of a function. Return data.'
                    : Deeper extends readonly [unknown, ...infer Rest]
                      ? LostInside<T, Rest>
                      : never

/** Methods are passed over: those of a class are not fields of its instances, and types cannot tell. */
type LostInside<T, Deeper extends readonly unknown[]> = T extends readonly (infer E)[]
  ? Lost<E, Deeper>
  : T extends object
    ? { [K in keyof T]-?: T[K] extends (...args: never) => unknown ? never : Lost<T[K], Deeper> }[keyof T]
    : never

type Primitive = string | number | boolean | null | undefined | void
