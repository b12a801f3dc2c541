/**
 * The declaration of a tool. Two independent settings: which side runs it (`executor`), and whether a person must approve first
 * (`approval`). The other settings have defaults. Settings that do not go together are a type error where possible, and always an
 * error when the tool is defined.
 */
import { milliseconds, type Duration } from '../duration.ts'
import type { JsonObject } from '../json.ts'
import { losslessJson } from '../lossless-json.ts'
import type { OnExpire, Waiting } from '../turn/hold.ts'
import type { ToolContext } from './context.ts'
import { definitionOf, type ToolDefinition } from './definition.ts'
import { fingerprint } from './fingerprint.ts'
import { runProgressGenerator } from './progress-generator.ts'
import type { HandlerResult } from './handler-result.ts'
import { checkToolOptions, invalidTool } from './check-tool-options.ts'
import type { CompileJsonSchema } from '../ports.ts'
import { toSchema, type AnySchema, type Infer, type Schema } from './schema.ts'
import type {
  AnyToolOptions,
  Approval,
  Executor,
  GateResult,
  OnLostPolicy,
  Result,
  Retention,
  Returns,
  ToolOptions,
  Verified,
  WholeJson,
} from './tool-options.ts'

/** A tool, ready for use. `Output` is what its calls come to, once its output schema was applied. Methods, not function properties, so that tools of different inputs fit one list. */
export interface Tool<Input = unknown, Output = unknown, E extends Executor = Executor> {
  readonly name: string
  readonly description: string
  readonly executor: E
  readonly input: Schema
  readonly output: Schema | undefined
  readonly fingerprint: string
  /** The definition that approvers see. Each change of the fingerprint is a change of the definition. */
  readonly definition: ToolDefinition
  /** The definition that was last approved, if it differs. Approvers see the difference. */
  readonly definitionBefore?: ToolDefinition | undefined
  /** How long the call may run or wait, and what happens after that time. */
  readonly waiting: Waiting
  readonly approvalTimeoutMs: number
  readonly async: boolean
  readonly manual: boolean
  readonly onLost: OnLostPolicy
  readonly streaming: boolean
  readonly visible: boolean
  readonly retention: Retention | undefined
  /** Set if it differs from the agent's limit. */
  readonly maxResultBytes: number | undefined
  /** The people and groups that a human tool asks. */
  readonly to: readonly string[] | undefined
  readonly provider: { readonly id: string; readonly args: JsonObject } | undefined
  /** Undefined if no call ever needs approval. */
  gate?(context: ToolContext<Input>): GateResult | Promise<GateResult>
  run?(context: ToolContext<Input>): HandlerResult<Output>
  verify?(context: ToolContext<Input>): Verified | Promise<Verified>
}

/**
 * One signature for all executors, so that the error of the compiler names the wrong option. `executor`, and whether there is a
 * `run`, decide which options are allowed.
 */
export type DefineTool = <
  I extends AnySchema = JsonObject,
  O extends AnySchema | undefined = undefined,
  R extends Returns<O> = Returns<O>,
  E extends Executor = 'server',
>(
  options: ToolOptions<I, O, R> & { readonly executor?: E } & WholeJson<Result<O, R>>,
) => Tool<E extends 'provider' ? unknown : Infer<I>, Result<O, R>, E>

const MINUTE = 60_000
/** Default timeouts. */
export const DEFAULT_TIMEOUTS: Readonly<Record<Executor | 'approval', number>> = {
  approval: 7 * 24 * 60 * MINUTE,
  human: 7 * 24 * 60 * MINUTE,
  client: MINUTE / 2,
  external: MINUTE / 2,
  server: 10 * MINUTE,
  provider: 10 * MINUTE,
}

/** Late results of clients and workers are not lost, because the work was done. A person's late answer is refused. */
const DEFAULT_LATE: Readonly<Record<Executor, Waiting['late']>> = {
  client: 'inbox',
  external: 'inbox',
  human: 'reject',
  server: 'reject',
  provider: 'reject',
}

/** How long a client may be absent before a call that is not async fails. */
const DEFAULT_GRACE = 5000

/** `compile` validates raw JSON Schemas. Without it, only Standard Schemas can be used. */
export function toolDefiner(compile: CompileJsonSchema | undefined): DefineTool {
  return ((options: AnyToolOptions) => defineTool(options, compile)) as DefineTool
}

function defineTool(options: AnyToolOptions, compile: CompileJsonSchema | undefined): Tool {
  checkToolOptions(options)
  const { name, description = '', retention, visible = true } = options
  const executor = options.executor ?? 'server'
  const what = `Tool "${name}"`
  const input = options.executor === 'provider' ? openInput : inputSchema(options.input, `${what}: input`, compile)
  const output = outputSchema(options, what, compile)
  const gate = options.executor === 'provider' ? undefined : toGate(options.approval)
  return {
    name,
    description,
    executor,
    input,
    output,
    fingerprint: fingerprint({ name, description, executor, input: input.json, output: output?.json }),
    definition: definitionOf(description, executor, input.json, output?.json),
    waiting: waitingOf(options, executor, what),
    approvalTimeoutMs: duration(
      what,
      'approvalTimeout' in options ? options.approvalTimeout : undefined,
      DEFAULT_TIMEOUTS.approval,
    ),
    async: 'async' in options && options.async === true,
    manual: 'manual' in options && options.manual === true,
    onLost: onLostPolicy(options),
    streaming: streamingOf(options),
    visible,
    retention,
    maxResultBytes: options.executor === 'provider' ? undefined : options.maxResultBytes,
    to: options.executor === 'human' ? options.to : undefined,
    provider: options.executor === 'provider' ? { id: options.id, args: options.args ?? {} } : undefined,
    ...(gate && { gate }),
    ...(options.run && { run: runProgressGenerator(options.run) }),
    ...('onLost' in options && typeof options.onLost === 'function' && { verify: options.onLost }),
  }
}

/** A handler that is an async generator yields progress, so it is streaming by default. */
function streamingOf(options: AnyToolOptions): boolean {
  const declared = 'streaming' in options ? options.streaming : undefined
  return declared ?? Object.prototype.toString.call(options.run) === '[object AsyncGeneratorFunction]'
}

/** The vendor describes a provider tool to its model. */
const openInput: Schema = { json: { type: 'object' }, check: (value) => ({ ok: true, value }) }

/** Models call with named arguments, so the input must be an object. */
function inputSchema(source: AnySchema, what: string, compile: CompileJsonSchema | undefined): Schema {
  const schema = toSchema(source, what, compile)
  const { type = 'object' } = schema.json
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) return schema
  throw invalidTool(
    `${what} must describe an object, since models call with named arguments: put it into one, as in z.object({ value: … }).`,
  )
}

function outputSchema(
  options: AnyToolOptions,
  what: string,
  compile: CompileJsonSchema | undefined,
): Schema | undefined {
  const output = 'output' in options ? options.output : undefined
  return output === undefined ? undefined : toSchema(output, `${what}: output`, compile)
}

function toGate(approval: Approval<unknown> | undefined): Tool['gate'] | undefined {
  if (approval === undefined || approval === 'auto' || approval === false) return undefined
  if (approval === 'required' || approval === true) return () => ({ required: true })
  if (typeof approval === 'function') return approval
  return approval.required ? () => approval : undefined
}

function waitingOf(options: AnyToolOptions, executor: Executor, what: string): Waiting {
  const timeoutMs = duration(what, options.timeout, DEFAULT_TIMEOUTS[executor])
  const graceMs = options.executor === 'client' ? graceOf(options, timeoutMs, what) : timeoutMs
  return {
    timeoutMs,
    onExpire: expiry(what, 'onExpire' in options ? options.onExpire : undefined),
    late: ('late' in options ? options.late : undefined) ?? DEFAULT_LATE[executor],
    // A grace as long as the timeout has no effect.
    ...(graceMs < timeoutMs && { graceMs }),
  }
}

/** No turn waits for an async call, so its client may connect at any time before the deadline. */
function graceOf(
  { grace, async = false }: { readonly grace?: Duration; readonly async?: boolean },
  timeoutMs: number,
  what: string,
): number {
  const graceMs = duration(what, grace, async ? timeoutMs : Math.min(DEFAULT_GRACE, timeoutMs))
  if (graceMs > timeoutMs)
    throw invalidTool(`${what}: "grace" is longer than "timeout", so it would have no effect. Make it shorter.`)
  return graceMs
}

function expiry(what: string, onExpire: OnExpire = 'error'): OnExpire {
  if (typeof onExpire !== 'object') return onExpire
  const answer = losslessJson(onExpire.answer)
  if (!answer.ok) throw invalidTool(`${what}: onExpire.answer is not JSON: ${answer.why}.`)
  return { answer: answer.value }
}

function duration(what: string, given: Duration | undefined, otherwise: number): number {
  try {
    return given === undefined ? otherwise : milliseconds(given)
  } catch (error) {
    throw invalidTool(`${what}: ${(error as Error).message}`)
  }
}

function onLostPolicy(options: AnyToolOptions): OnLostPolicy {
  const declared = 'onLost' in options ? options.onLost : undefined
  return typeof declared === 'function' ? 'verify' : (declared ?? 'retry')
}
