/** The options of `tool()`. The types allow only the options that go with the executor. */
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
  /**
   * A rule that allows the call may take the place of the approval. Default: no rule makes the gate weaker. The author of the rule
   * must be a person who could have approved the call alone.
   */
  readonly rules?: 'may-relax'
  /** Reminds the approvers once, this long after the call was held. */
  readonly remindAfter?: Duration
  /** Asks more people and groups than `approvers.anyOf`, this long after the call was held. */
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
  | GateResult
  | ((context: ToolContext<Input>) => GateResult | Promise<GateResult>)

/** What a gate returns: whether a person must approve, with a reason and the number of approvers if it returns an object. */
export type GateResult = boolean | ApprovalRequest

/** What the function `onLost` found out about a call whose process died. */
export type Verified =
  | { readonly happened: true; readonly result: Json }
  | { readonly happened: false }
  /** Unknown: a person decides. */
  | { readonly happened: 'unknown' }

export type OnLost<Input> = 'retry' | 'fail' | 'ask' | ((context: ToolContext<Input>) => Verified | Promise<Verified>)

export type OnLostPolicy = 'retry' | 'fail' | 'ask' | 'verify'

/** How long the results of a tool stay in the prompt. */
export type Retention = 'keep' | { readonly turns?: number; readonly last?: number }

interface Common<I extends AnySchema> {
  /** May have a namespace: `notes.search`. */
  readonly name: string
  readonly description: string
  readonly input: I
  /** The longest running time of a server tool, the longest waiting time of the others. */
  readonly timeout?: Duration
  /**
   * The tool reports progress, and screens show it. Without this setting, progress is not shown, and `onProblem` is called.
   * Default: true if `run` is an async generator, otherwise false.
   */
  readonly streaming?: boolean
  readonly retention?: Retention
  /** The largest result, as JSON. A larger one is an error. Default: the agent's limit, 1 MB. */
  readonly maxResultBytes?: number
  /** Whether people see the calls of the tool. Default: true. People always see a call that asks them something. */
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
  /** The model reads `pending` at once and continues. The answer starts a new turn. */
  readonly async?: boolean
  readonly run?: never
  readonly onLost?: never
  readonly manual?: never
}

interface ClientToolOptions<I extends AnySchema, O> extends RemoteBase<I, O> {
  readonly executor: 'client'
  /**
   * How long a call waits while no client that can run it is connected. Default: 5 s, so that the call fails soon; for an async
   * call, the whole timeout. Set it to the timeout to always wait that long. The gateway reports its connected clients to the
   * runtime with `attend`. A session knows of no clients.
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
  /** The vendor's id of the tool: `openai.web_search`. */
  readonly id: string
  readonly args?: JsonObject
  readonly retention?: Retention
  readonly visible?: boolean
  /** The vendor runs the tool inside its reply, so no person can approve it first. */
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

/** The options of any tool. */
export type AnyToolOptions = ToolOptions<AnySchema, AnySchema | undefined, unknown>

/**
 * A type error for a `run` whose result JSON would drop silently. It says what to return instead. Values that types cannot see, or
 * that are nested deeper, fail at run time.
 */
export type WholeJson<T> = [Lost<T, [1, 1, 1]>] extends [never] ? unknown : { readonly run: Lost<T, [1, 1, 1]> }

/** `Deeper` has one item for each further level that is checked. */
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

/** Ignores methods: methods of a class are not fields of its instances, and types cannot tell the difference. */
type LostInside<T, Deeper extends readonly unknown[]> = T extends readonly (infer E)[]
  ? Lost<E, Deeper>
  : T extends object
    ? { [K in keyof T]-?: T[K] extends (...args: never) => unknown ? never : Lost<T[K], Deeper> }[keyof T]
    : never

type Primitive = string | number | boolean | null | undefined | void
