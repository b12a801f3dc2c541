/**
 * One declaration for every tool. Two independent questions: who carries it out (`executor`), and must somebody agree
 * first (`approval`). Defining a tool answers the rest with defaults and refuses what makes no sense: at compile time
 * where types can say it, and when the tool is defined in any case.
 */
import { milliseconds, type Duration } from '../duration.ts'
import { toJson, type JsonObject } from '../json.ts'
import type { Waiting } from '../turn/hold.ts'
import type { ToolContext } from './context.ts'
import { fingerprint } from './fingerprint.ts'
import type { HandlerResult } from './handler-result.ts'
import { checkMatrix, invalidTool } from './matrix.ts'
import { toSchema, type AnySchema, type CompileJsonSchema, type Infer, type Schema } from './schema.ts'
import type {
  Approval,
  ApprovalRequest,
  Executor,
  HumanToolOptions,
  ManualToolOptions,
  OnLostPolicy,
  ProviderToolOptions,
  RemoteToolOptions,
  Retention,
  ServerToolOptions,
  ToolOptions,
  Verified,
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

export interface DefineTool {
  <I extends AnySchema, R>(options: ServerToolOptions<I, R>): Tool<Infer<I>, R, 'server'>
  <I extends AnySchema, R = unknown>(options: ManualToolOptions<I, R>): Tool<Infer<I>, R, 'server'>
  <I extends AnySchema, R = unknown>(options: HumanToolOptions<I, R>): Tool<Infer<I>, R, 'human'>
  <I extends AnySchema, R = unknown>(options: RemoteToolOptions<I, R>): Tool<Infer<I>, R, 'client' | 'external'>
  (options: ProviderToolOptions): Tool<unknown, unknown, 'provider'>
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
  const input = options.executor === 'provider' ? openInput : toSchema(options.input, `${what}: input`, compile)
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
    approvalTimeoutMs: duration(what, 'approvalTimeout' in options ? options.approvalTimeout : undefined, DEFAULT_TIMEOUTS.approval),
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
const openInput: Schema = { json: { type: 'object' }, check: async (value) => ({ ok: true, value }) }

function outputSchema(options: ToolOptions<AnySchema, unknown>, what: string, compile: CompileJsonSchema | undefined): Schema | undefined {
  const output = 'output' in options ? options.output : undefined
  return output === undefined ? undefined : toSchema(output as AnySchema, `${what}: output`, compile)
}

function toGate(approval: Approval<unknown> | undefined): Tool['gate'] | undefined {
  if (approval === undefined || approval === 'auto') return undefined
  if (approval === 'required') return () => ({ required: true })
  if (typeof approval === 'function') return approval
  return approval.required ? () => approval : undefined
}

function waitingOf(options: ToolOptions<AnySchema, unknown>, executor: Executor, what: string): Waiting {
  const onExpire = 'onExpire' in options ? (options.onExpire ?? 'error') : 'error'
  if (typeof onExpire === 'object') {
    const answer = toJson(onExpire.answer)
    if (!answer.ok) throw invalidTool(`${what}: onExpire.answer is not JSON: ${answer.why}.`)
  }
  return {
    timeoutMs: duration(what, options.timeout, DEFAULT_TIMEOUTS[executor]),
    onExpire,
    late: 'late' in options ? (options.late ?? 'reject') : 'reject',
  }
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
