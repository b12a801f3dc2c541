/**
 * Tools of the AI SDK (`tool()`), and objects like those of Mastra (`{ id, inputSchema, execute }`), as Holdpoint tools. What a
 * tool uses that has no equivalent here is refused when the tool is converted, not when it runs.
 */
import { HoldpointError, isObject, type Approval, type ToolContext } from '@holdpoint/core'
import { tool, type Tool } from 'holdpoint'
import { foreignSchema } from './foreign-schema.ts'

/** A tool of another library. Functions have any parameters: they are called as that library calls them. */
export interface ForeignTool {
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  readonly needsApproval?: unknown
  /** Mastra. */
  readonly requireApproval?: unknown
  readonly type?: unknown
  readonly id?: unknown
  readonly args?: unknown
  readonly isProviderExecuted?: unknown
  readonly toModelOutput?: unknown
  readonly contextSchema?: unknown
  /** Mastra. */
  readonly suspendSchema?: unknown
}

type Status =
  | undefined
  | 'not-applicable'
  | 'approved'
  | 'denied'
  | 'user-approval'
  | { readonly type: 'not-applicable' | 'approved' | 'denied' | 'user-approval'; readonly reason?: string }

export type ToolApproval = Status | ((input: never, options: never) => Status | PromiseLike<Status>)

export interface FromAiSdkOptions {
  /** As `toolApproval` of `streamText`, for each tool by name. */
  readonly toolApproval?: Readonly<Record<string, ToolApproval>>
  /** What `execute` gets as `context`, for tools with a `contextSchema`. */
  readonly context?: (call: ToolContext) => unknown
}

/** The names are the keys of the object; of a list, the ids. */
export function fromAiSdkTools(
  tools: Readonly<Record<string, ForeignTool>> | readonly ForeignTool[],
  options: FromAiSdkOptions = {},
): readonly Tool[] {
  const named = Array.isArray(tools)
    ? (tools as readonly ForeignTool[]).map((each) => [typeof each.id === 'string' ? each.id : '', each] as const)
    : Object.entries(tools)
  const unknown = Object.keys(options.toolApproval ?? {}).find((name) => !named.some(([each]) => each === name))
  if (unknown !== undefined) throw invalid(`toolApproval names "${unknown}", which is not among the tools.`)
  return named.map(([name, foreign]) => fromForeign(name, foreign, options))
}

/** A page runs the call, and need not be open all the time. */
const CLIENT_WAITS = '1 day'

function fromForeign(name: string, foreign: ForeignTool, options: FromAiSdkOptions): Tool {
  refuseUnsupported(name, foreign, options)
  const { type, id, args, description = '', inputSchema, outputSchema, execute } = foreign
  if (type === 'provider') return tool({ executor: 'provider', name, id: String(id), ...(isObject(args) && { args }) })
  const policy = options.toolApproval?.[name]
  const shared = {
    name,
    description: String(description),
    input: foreignSchema(inputSchema, `The inputSchema of "${name}"`),
    ...(outputSchema !== undefined && { output: foreignSchema(outputSchema, `The outputSchema of "${name}"`) }),
    approval: approvalOf(foreign, policy),
  }
  if (!execute) {
    if (statusOf(policy).type === 'denied')
      throw invalid(`"${name}" runs on the page, so it cannot be denied here. Leave it out.`)
    return tool({ ...shared, executor: 'client', timeout: CLIENT_WAITS, grace: CLIENT_WAITS })
  }
  const run = runOf(execute, policy, options)
  // Progress is shown of tools that are written as a generator.
  const streams = Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
  return tool({ ...shared, streaming: streams, run: (context: ToolContext) => run(context, streams) })
}

function refuseUnsupported(name: string, foreign: ForeignTool, { context }: FromAiSdkOptions): void {
  const { description, type, isProviderExecuted, toModelOutput, contextSchema, suspendSchema } = foreign
  if (name === '') throw invalid('A tool in a list needs an "id".')
  if (type === 'provider' && isProviderExecuted === false)
    throw invalid(`"${name}" is defined by its vendor and run by the application. Declare it with tool() of holdpoint.`)
  if (typeof description === 'function')
    throw invalid(`The description of "${name}" is a function. Holdpoint needs a text: an approval is bound to it.`)
  if (toModelOutput !== undefined)
    throw invalid(`"${name}" has toModelOutput. Return from execute what the model should read.`)
  if (suspendSchema !== undefined)
    throw invalid(`"${name}" suspends. Declare it with tool() of holdpoint, and return ask() from run.`)
  if (contextSchema !== undefined && !context)
    throw invalid(`"${name}" has a contextSchema. Give fromAiSdkTools the option "context".`)
}

type Execute = (input: unknown, options: unknown) => unknown
type Policy = ToolApproval | undefined

function runOf(execute: NonNullable<ForeignTool['execute']>, policy: Policy, { context }: FromAiSdkOptions) {
  return async (call: ToolContext, streams: boolean): Promise<unknown> => {
    // A rule that denies now is stronger than an earlier approval by a person.
    const { type, reason } = await decided(policy, call)
    if (type === 'denied') throw new Error(reason ?? 'A rule denied the call.')
    const options = { ...callOptions(call), ...(context && { context: context(call) }) }
    const result: unknown = await (execute as Execute)(call.input, options)
    if (!isAsyncIterable(result)) return result ?? null
    let last: unknown = null
    for await (const value of result) {
      last = value
      if (streams) call.progress(value as Parameters<ToolContext['progress']>[0])
    }
    return last
  }
}

/** As the AI SDK and Mastra pass them. `messages` is empty: a tool does not see the conversation. */
function callOptions({ call, signal }: ToolContext): object {
  return { toolCallId: call.id, messages: [], abortSignal: signal, agent: { toolCallId: call.id, messages: [] } }
}

function approvalOf({ needsApproval, requireApproval, execute }: ForeignTool, policy: Policy): Approval<unknown> {
  const own = needsApproval ?? requireApproval
  if (own === undefined && policy === undefined) return 'auto'
  return async (call) => {
    const asked = typeof own === 'function' ? await (own as Execute)(call.input, callOptions(call)) : own
    const { type, reason } = await decided(policy, call)
    // A client tool has no code of ours that could refuse, so a person decides.
    const needed = asked === true || type === 'user-approval' || (type === 'denied' && !execute)
    return needed ? { required: true, ...(reason !== undefined && { reason }) } : false
  }
}

interface Decided {
  readonly type: 'not-applicable' | 'approved' | 'denied' | 'user-approval'
  readonly reason?: string
}

async function decided(policy: Policy, call: ToolContext): Promise<Decided> {
  if (typeof policy !== 'function') return statusOf(policy)
  return statusOf(
    await (policy as (input: unknown, options: object) => Status | PromiseLike<Status>)(call.input, callOptions(call)),
  )
}

/** A function decides for each call. */
function statusOf(policy: Policy): Decided {
  if (policy === undefined || typeof policy === 'function') return { type: 'not-applicable' }
  return typeof policy === 'string' ? { type: policy } : policy
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('tool-invalid', message)
}
