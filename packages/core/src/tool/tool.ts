/**
 * One declaration for every tool. Two independent questions: who carries it out (`executor`), and must somebody agree
 * first (`approval`). Defining a tool answers the rest with defaults and refuses what makes no sense: at compile time
 * where types can say it, and when the tool is defined in any case.
 */
import { milliseconds, type Duration } from '../duration.ts'
import { toJson, type JsonObject } from '../json.ts'
import type { OnExpire, Waiting } from '../turn/hold.ts'
import type { ToolContext } from './context.ts'
import { fingerprint } from './fingerprint.ts'
import type { HandlerResult } from './handler-result.ts'
import { checkMatrix, invalidTool } from './matrix.ts'
import type { CompileJsonSchema } from '../ports.ts'
import { toSchema, type AnySchema, type Infer, type Schema, type StandardSchema } from './schema.ts'
import type {
  Approval,
  ApprovalRequest,
  Executor,
  HumanToolOptions,
  InputOf,
  ManualToolOptions,
  OnLostPolicy,
  ProviderToolOptions,
  RemoteToolOptions,
  Retention,
  ServerToolBase,
  ToolOptions,
  Verified,
  Widen,
} from './tool-options.ts'

/** A tool, ready for use. Methods, not function properties, so that tools of different inputs fit one list. */
export interface Tool<Input = unknown, Output = unknown, E extends Executor = Executor> {
  readonly name: string
  readonly description: string
  readonly executor: E
  readonly input: Schema
  readonly output: Schema | undefined
  readonly fingerprint: string
  /** How long the executor is waited for (or may run), and what then. */
  readonly waiting: Waiting
  readonly approvalTimeoutMs: number
  readonly async: boolean
  readonly manual: boolean
  readonly onLost: OnLostPolicy
  readonly streaming: boolean
  readonly visible: boolean
  readonly retention: Retention | undefined
  readonly provider: { readonly id: string; readonly args: JsonObject } | undefined
  /** Absent when nobody need ever agree. */
  gate?(context: ToolContext<Input>): ApprovalRequest | Promise<ApprovalRequest>
  run?(context: ToolContext<Input>): HandlerResult<Output>
  verify?(context: ToolContext<Input>): Verified | Promise<Verified>
}

/** With an output schema, `run` must give what it takes; without one, what `run` gives is the output. */
export interface DefineTool {
  <I extends AnySchema, O extends StandardSchema, R extends Widen<InputOf<O>>>(
    options: ServerToolBase<I, R> & { readonly output: O },
  ): Tool<Infer<I>, InputOf<O>, 'server'>
  <I extends AnySchema, R = unknown>(options: ManualToolOptions<I, R>): Tool<Infer<I>, R, 'server'>
  <I extends AnySchema, R = unknown>(options: HumanToolOptions<I, R>): Tool<Infer<I>, R, 'human'>
  <I extends AnySchema, R = unknown>(options: RemoteToolOptions<I, R>): Tool<Infer<I>, R, 'client' | 'external'>
  (options: ProviderToolOptions): Tool<unknown, unknown, 'provider'>
  // Last, because the compiler explains a mistake by the last signature, and most tools are these.
  <I extends AnySchema, R>(
    options: ServerToolBase<I, R> & { readonly output?: JsonObject },
  ): Tool<Infer<I>, R, 'server'>
}

const MINUTE = 60_000
/** What applies where the author says nothing. People get a week, machines half a minute, our own code ten minutes. */
export const DEFAULT_TIMEOUTS: Readonly<Record<Executor | 'approval', number>> = {
  approval: 7 * 24 * 60 * MINUTE,
  human: 7 * 24 * 60 * MINUTE,
  client: MINUTE / 2,
  external: MINUTE / 2,
  server: 10 * MINUTE,
  provider: 10 * MINUTE,
}

/** `compile` checks raw JSON Schemas; without it only Standard Schemas can be used. */
export function toolDefiner(compile: CompileJsonSchema | undefined): DefineTool {
  return ((options: ToolOptions<AnySchema, unknown>) => defineTool(options, compile)) as DefineTool
}

function defineTool(options: ToolOptions<AnySchema, unknown>, compile: CompileJsonSchema | undefined): Tool {
  checkMatrix(options)
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
    waiting: waitingOf(options, executor, what),
    approvalTimeoutMs: duration(
      what,
      'approvalTimeout' in options ? options.approvalTimeout : undefined,
      DEFAULT_TIMEOUTS.approval,
    ),
    async: 'async' in options && options.async === true,
    manual: 'manual' in options && options.manual === true,
    onLost: onLostPolicy(options),
    streaming: 'streaming' in options && options.streaming === true,
    visible,
    retention,
    provider: options.executor === 'provider' ? { id: options.id, args: options.args ?? {} } : undefined,
    ...(gate && { gate }),
    ...(options.run && { run: options.run }),
    ...('onLost' in options && typeof options.onLost === 'function' && { verify: options.onLost }),
  }
}

/** A provider's tool is described to the model by its vendor. */
const openInput: Schema = { json: { type: 'object' }, check: (value) => ({ ok: true, value }) }

/** Models call with named arguments: what cannot be an object could never be called. */
function inputSchema(source: AnySchema, what: string, compile: CompileJsonSchema | undefined): Schema {
  const schema = toSchema(source, what, compile)
  const { type = 'object' } = schema.json
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) return schema
  throw invalidTool(
    `${what} must describe an object, since models call with named arguments: put it into one, as in z.object({ value: … }).`,
  )
}

function outputSchema(
  options: ToolOptions<AnySchema, unknown>,
  what: string,
  compile: CompileJsonSchema | undefined,
): Schema | undefined {
  const output = 'output' in options ? options.output : undefined
  return output === undefined ? undefined : toSchema(output, `${what}: output`, compile)
}

function toGate(approval: Approval<unknown> | undefined): Tool['gate'] | undefined {
  if (approval === undefined || approval === 'auto') return undefined
  if (approval === 'required') return () => ({ required: true })
  if (typeof approval === 'function') return approval
  return approval.required ? () => approval : undefined
}

function waitingOf(options: ToolOptions<AnySchema, unknown>, executor: Executor, what: string): Waiting {
  const timeoutMs = duration(what, options.timeout, DEFAULT_TIMEOUTS[executor])
  const graceMs = 'grace' in options && options.grace !== undefined ? duration(what, options.grace, 0) : undefined
  if (graceMs !== undefined && graceMs > timeoutMs)
    throw invalidTool(`${what}: "grace" is longer than "timeout", so it would never be over. Make it shorter.`)
  return {
    timeoutMs,
    onExpire: expiry(what, 'onExpire' in options ? options.onExpire : undefined),
    late: 'late' in options ? (options.late ?? 'reject') : 'reject',
    ...(graceMs !== undefined && { graceMs }),
  }
}

function expiry(what: string, onExpire: OnExpire = 'error'): OnExpire {
  if (typeof onExpire !== 'object') return onExpire
  const answer = toJson(onExpire.answer)
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

function onLostPolicy(options: ToolOptions<AnySchema, unknown>): OnLostPolicy {
  const declared = 'onLost' in options ? options.onLost : undefined
  return typeof declared === 'function' ? 'verify' : (declared ?? 'retry')
}
