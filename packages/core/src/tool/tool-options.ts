/** What the author of a tool writes, as types: the legal pairs of executor and settings, and nothing else. */
import type { Duration } from '../duration.ts'
import type { Json, JsonObject } from '../json.ts'
import type { OnExpire } from '../turn/hold.ts'
import type { ToolContext } from './context.ts'
import type { HandlerResult } from './handler-result.ts'
import type { AnySchema, Infer, StandardSchema } from './schema.ts'

export type Executor = 'server' | 'human' | 'client' | 'external' | 'provider'

export interface ApprovalRequest {
  readonly required: boolean
  /** Shown to whoever decides. */
  readonly reason?: string
  /** How many different people must agree; 1 unless said. */
  readonly approvers?: number
}

export type Approval<Input> =
  | 'auto'
  | 'required'
  | ApprovalRequest
  | ((context: ToolContext<Input>) => ApprovalRequest | Promise<ApprovalRequest>)

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
  /** It reports progress while it runs. */
  readonly streaming?: boolean
  readonly retention?: Retention
  /** Whether people who watch the conversation are shown the call. */
  readonly visible?: boolean
}

interface Gated<Input> {
  readonly approval?: Approval<Input>
  /** How long an approval is waited for; 7 days unless said. */
  readonly approvalTimeout?: Duration
}

interface Waits {
  /** What comes of a call nobody answered; an error unless said. */
  readonly onExpire?: OnExpire
  readonly late?: 'reject' | 'inbox'
}

/** What `run` must give back for an output schema: what goes into the schema, before its transforms. */
export type InputOf<O> = O extends StandardSchema<infer In> ? In : unknown

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

type OutputFor<R> = StandardSchema<R, unknown> | JsonObject

/** All of a server tool but its output schema. */
export interface ServerToolBase<I extends AnySchema, R> extends Common<I>, Gated<Infer<I>>, Pick<Waits, 'onExpire'> {
  readonly executor?: 'server'
  readonly run: (context: ToolContext<Infer<I>>) => HandlerResult<R>
  /** What happens to a call whose process died while it ran; `retry` with the same id unless said. */
  readonly onLost?: OnLost<Infer<I>>
  /** Not run by us: the loop stops and hands the call to the caller, who submits the result. */
  readonly manual?: boolean
  readonly late?: never
  readonly async?: never
}

export interface ServerToolOptions<I extends AnySchema, R> extends ServerToolBase<I, R> {
  readonly output?: OutputFor<R>
}

/** A tool that only the caller carries out needs nothing to run. */
export interface ManualToolOptions<I extends AnySchema, R> extends Omit<
  ServerToolOptions<I, R>,
  'run' | 'manual' | 'onLost'
> {
  readonly manual: true
  readonly run?: undefined
  readonly onLost?: never
}

export interface HumanToolOptions<I extends AnySchema, R> extends Common<I>, Waits {
  readonly executor: 'human'
  readonly output?: OutputFor<R>
  readonly async?: boolean
  readonly approval?: never
  readonly approvalTimeout?: never
  readonly run?: never
  readonly onLost?: never
  readonly manual?: never
}

interface RemoteBase<I extends AnySchema, R> extends Common<I>, Gated<Infer<I>>, Waits {
  readonly output?: OutputFor<R>
  /** The model reads `pending` at once and goes on; the answer starts a turn of its own. */
  readonly async?: boolean
  readonly run?: never
  readonly onLost?: never
  readonly manual?: never
}

interface ClientToolOptions<I extends AnySchema, R> extends RemoteBase<I, R> {
  readonly executor: 'client'
  /**
   * How long a call waits while no client is there that can run it; as long as for one that is, unless said. A runtime
   * knows of clients by `attend`, which the gateway calls for those that are connected to it. A session knows of none.
   */
  readonly grace?: Duration
}

interface ExternalToolOptions<I extends AnySchema, R> extends RemoteBase<I, R> {
  readonly executor: 'external'
  readonly grace?: never
}

export type RemoteToolOptions<I extends AnySchema, R> = ClientToolOptions<I, R> | ExternalToolOptions<I, R>

export interface ProviderToolOptions {
  readonly executor: 'provider'
  readonly name: string
  readonly description?: string
  /** The vendor's own id of the tool: `openai.web_search`. */
  readonly id: string
  readonly args?: JsonObject
  readonly retention?: Retention
  readonly visible?: boolean
  readonly approval?: never
  readonly run?: never
  readonly input?: never
  readonly timeout?: never
}

export type ToolOptions<I extends AnySchema, R> =
  | ServerToolOptions<I, R>
  | ManualToolOptions<I, R>
  | HumanToolOptions<I, R>
  | RemoteToolOptions<I, R>
  | ProviderToolOptions
