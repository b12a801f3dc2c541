/** The MCP protocol of either era, for one request: the handlers that the SDK calls. */
import { traceparentOf } from '@holdpoint/core/internal/log/traceparent-of'
import { isObject, type Json, type JsonObject } from '@holdpoint/core'
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { callStatus, callStatusAfter, type CallRef, type CallStatus } from './call-status.ts'
import type { McpCaller } from './create-mcp-server.ts'
import { questionsOf, type ClientAbilities, type HoldQuestion } from './questions.ts'
import {
  heldResult,
  WAIT_FOR_RESULT,
  waitSignal,
  type ListedTool,
  type ToolCalls,
  type WaitingRequest,
} from './tool-calls.ts'
import { failure } from './tool-result.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603
const POLL_MS = 2000
const loose = z.looseObject({})

/** The SDK's high-level server builds tools from functions and has no tasks. Our tools exist already, so this uses `Server`. */
// oxlint-disable-next-line typescript/no-deprecated
export function protocolServer(calls: ToolCalls, caller: McpCaller, era: 'legacy' | 'modern', name: string): Server {
  const tasks = era === 'legacy' ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } } : {}
  // oxlint-disable-next-line typescript/no-deprecated
  const server = new Server(
    { name, version: '0.1.0' },
    {
      capabilities: { tools: {}, ...tasks, ...(era === 'modern' && { extensions: { [TASKS]: {} } }) },
      inputRequired: { legacyShim: false },
    },
  )
  const handlers = new RequestHandlers(calls, caller, era)
  const safely = withoutInternalErrors(caller)
  server.setRequestHandler('tools/list', (_request, context) => handlers.list(context) as never)
  server.setRequestHandler('tools/call', ({ params }, context) => safely(handlers.call(params, context)))
  const params = { params: loose }
  server.setRequestHandler('tasks/get', params, (given, context) => safely(handlers.getTask(given, context)))
  server.setRequestHandler('tasks/cancel', params, (given, context) => safely(handlers.cancelTask(given, context)))
  if (era === 'legacy')
    server.setRequestHandler('tasks/result', params, (given, context) => safely(handlers.taskResult(given, context)))
  else server.setRequestHandler('tasks/update', params, (given, context) => safely(handlers.updateTask(given, context)))
  return server
}

/** Reports an internal error to the operator. The client gets a generic message. */
function withoutInternalErrors({ problem }: McpCaller): (answer: Promise<object>) => Promise<never> {
  return async (answer) => {
    try {
      return (await answer) as never
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      problem?.(error)
      throw new ProtocolError(INTERNAL_ERROR, 'Internal error.')
    }
  }
}

class RequestHandlers {
  readonly #calls: ToolCalls
  readonly #caller: McpCaller
  readonly #modern: boolean

  constructor(calls: ToolCalls, caller: McpCaller, era: 'legacy' | 'modern') {
    this.#calls = calls
    this.#caller = caller
    this.#modern = era === 'modern'
  }

  list(context: ServerContext): { readonly tools: readonly ListedTool[] } {
    // A client that polls tasks does not need the tool.
    const tools = this.#calls
      .list(this.#caller)
      .filter(({ name }) => name !== WAIT_FOR_RESULT || !this.#supportsTasks(context))
    return { tools }
  }

  async call(params: { readonly name: string; readonly arguments?: unknown }, context: ServerContext): Promise<object> {
    const { mcpReq } = context
    const token = mcpReq.requestState()
    const status =
      typeof token === 'string'
        ? await this.#answered(token, mcpReq.inputResponses ?? {}, context)
        : await this.#calls.start(
            this.#caller,
            params.name,
            (params.arguments ?? {}) as Json,
            this.#request(context, 'task' in params),
          )
    if (!status) throw new ProtocolError(INVALID_PARAMS, `There is no tool "${params.name}" here.`)
    return this.#respond(status, context, 'task' in params)
  }

  /** The client asked its user and repeats the call with the answers. */
  async #answered(
    token: string,
    responses: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ): Promise<CallStatus> {
    const call = await this.#verify(token)
    const status = await this.#calls.wait(this.#caller, call, this.#request(context))
    if (status.state !== 'held') return status
    await this.#calls.answer(this.#caller, status, responses, this.#abilities(context))
    return this.#calls.wait(this.#caller, call, this.#request(context))
  }

  async #respond(status: CallStatus, context: ServerContext, asTask: boolean): Promise<object> {
    if (status.state === 'refused') return failure(status.why)
    if (status.state === 'finished') return status.result
    const { call, seq } = status
    const holds = status.state === 'held' ? status.holds : []
    const token = await this.#calls.sign(this.#caller, call, seq)
    const questions = this.#modern ? questionsOf(holds, this.#abilities(context)) : []
    if (questions.length > 0)
      return { resultType: 'input_required', inputRequests: requestsOf(questions), requestState: token }
    if (this.#supportsTasks(context)) return { resultType: 'task', ...task(token, 'working', holds[0]?.reason) }
    // The SDK rejects a result that has no `content`.
    if (!this.#modern && asTask) return { content: [], task: task(token, 'working', holds[0]?.reason, true) }
    const waited = await this.#calls.waitForResult(this.#caller, call, context.mcpReq.signal)
    if (waited.state === 'finished' || waited.state === 'refused') return this.#respond(waited, context, false)
    return heldResult(waited.state === 'held' ? waited.holds : holds, token)
  }

  // Tasks

  async getTask(params: Params, context: ServerContext): Promise<object> {
    const { taskId, call } = await this.#task(params, context)
    const status = await callStatus(this.#caller.runtime, call)
    const legacy = !this.#modern
    switch (status.state) {
      case 'working':
        return task(taskId, 'working', undefined, legacy)
      case 'refused':
        return task(taskId, 'failed', status.why, legacy)
      case 'finished':
        if (status.cancelled) return task(taskId, 'cancelled', undefined, legacy)
        return { ...task(taskId, 'completed', undefined, legacy), ...(!legacy && { result: status.result }) }
      case 'held': {
        const questions = legacy ? [] : questionsOf(status.holds, this.#abilities(context))
        if (questions.length === 0) return task(taskId, 'working', status.holds[0]?.reason, legacy)
        return { ...task(taskId, 'input_required', status.holds[0]?.reason), inputRequests: requestsOf(questions) }
      }
    }
  }

  async updateTask(params: Params, context: ServerContext): Promise<object> {
    const { call } = await this.#task(params, context)
    const status = await callStatus(this.#caller.runtime, call)
    const responses = params['inputResponses']
    if (status.state !== 'held' || !isObject(responses)) return {}
    const refused = await this.#calls.answer(this.#caller, status, responses, this.#abilities(context))
    if (refused.length > 0) throw new ProtocolError(INVALID_PARAMS, refused.join(' '))
    return {}
  }

  /** `tasks/result` of the legacy era: the request stays open until the task is finished. */
  async taskResult(params: Params, context: ServerContext): Promise<object> {
    const { mcpReq } = context
    const { taskId, call } = await this.#task(params, context)
    const { runtime } = this.#caller
    const until = waitSignal(this.#caller, mcpReq.signal)
    for (;;) {
      await callStatusAfter(runtime, call, 'held', until)
      const status = await callStatusAfter(runtime, call, 'working', until)
      if (status.state === 'refused' || (until.aborted && status.state !== 'finished'))
        throw new ProtocolError(INVALID_PARAMS, 'The task has no result.')
      if (status.state === 'finished')
        return { ...status.result, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } }
    }
  }

  async cancelTask(params: Params, context: ServerContext): Promise<object> {
    const { call } = await this.#task(params, context)
    await this.#calls.cancel(this.#caller, call, 'The client cancelled the task.')
    return this.#modern ? {} : this.getTask(params, context)
  }

  async #task(params: Params, context: ServerContext): Promise<{ readonly taskId: string; readonly call: CallRef }> {
    if (this.#modern && !this.#supportsTasks(context))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } })
    const taskId = params['taskId']
    if (typeof taskId !== 'string') throw new ProtocolError(INVALID_PARAMS, '"taskId" is missing.')
    return { taskId, call: await this.#verify(taskId) }
  }

  async #verify(token: string): Promise<CallRef> {
    const call = await this.#calls.verify(this.#caller, token)
    if (call === undefined) throw new ProtocolError(INVALID_PARAMS, 'You have no such call.')
    return call
  }

  /** A client that supports tasks does not wait for a long call. A legacy client that asks for a task gets it at once. */
  #request(context: ServerContext, asTask = false): WaitingRequest {
    const { taskAfterMs } = this.#calls
    const patienceMs = this.#supportsTasks(context) ? taskAfterMs : !this.#modern && asTask ? 0 : undefined
    return { signal: context.mcpReq.signal, progress: progressTo(context), patienceMs, trace: traceIn(context) }
  }

  #abilities(context: ServerContext): ClientAbilities {
    const elicitation = capabilitiesOf(context)['elicitation']
    const modes = isObject(elicitation) ? elicitation : {}
    const any = elicitation !== undefined
    return {
      form: any && ('form' in modes || Object.keys(modes).length === 0),
      url: 'url' in modes,
      resolves: this.#caller.resolves,
    }
  }

  #supportsTasks(context: ServerContext): boolean {
    const { extensions } = capabilitiesOf(context)
    return this.#modern && isObject(extensions) && TASKS in extensions
  }
}

type Params = Readonly<Record<string, unknown>>

function capabilitiesOf({ mcpReq }: ServerContext): JsonObject {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const given = envelope[CAPABILITIES]
  return isObject(given) ? given : {}
}

function requestsOf(questions: readonly HoldQuestion[]): object {
  return Object.fromEntries(questions.map(({ key, request }) => [key, request]))
}

/** The trace of the call itself, or of the HTTP request that brought it. */
function traceIn({ mcpReq, http }: ServerContext): string | undefined {
  return traceparentOf(mcpReq._meta?.['traceparent']) ?? traceparentOf(http?.req?.headers.get('traceparent'))
}

/** Sends progress notifications to a client that gave a progress token. */
function progressTo({ mcpReq }: ServerContext): WaitingRequest['progress'] {
  const token = mcpReq._meta?.progressToken
  let last = 0
  return (value) => {
    if (token === undefined) return
    const given = isObject(value) ? value : {}
    const progress = typeof given['progress'] === 'number' ? given['progress'] : last + 1
    // The protocol requires a number that grows.
    if (!(progress > last)) return
    last = progress
    const { total, message } = given
    const text = typeof message === 'string' ? message : typeof value === 'string' ? value : undefined
    const params = {
      progressToken: token,
      progress,
      ...(typeof total === 'number' && { total }),
      ...(text !== undefined && { message: text }),
    }
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

/** The two eras name the same fields differently. */
function task(taskId: string, status: string, message?: string, legacy = false): JsonObject {
  const at = new Date().toISOString()
  const times = legacy ? { ttl: null, pollInterval: POLL_MS } : { ttlMs: null, pollIntervalMs: POLL_MS }
  return {
    taskId,
    status,
    createdAt: at,
    lastUpdatedAt: at,
    ...times,
    ...(message !== undefined && { statusMessage: message }),
  }
}
