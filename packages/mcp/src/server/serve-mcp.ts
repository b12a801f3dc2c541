/** The protocol itself, of either era, for one request: what the SDK is told, and what it asks. */
import { isObject, type Json, type JsonObject } from '@holdpoint/core'
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { endOf, inWords, WAIT, type Called, type Desk, type Listed } from './desk.ts'
import type { McpCaller } from './mcp-face.ts'
import { questionsOf, type Able, type Asked } from './questions.ts'
import { standingAfter, standingOf, type Place, type Standing } from './standing.ts'
import { failure } from './tool-result.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603
const POLL_MS = 2000
const loose = z.looseObject({})

/** The SDK's own layer above it makes tools of functions; ours are made already, and tasks are not in it. */
// oxlint-disable-next-line typescript/no-deprecated
export function serverFor(desk: Desk, caller: McpCaller, era: 'legacy' | 'modern', name: string): Server {
  const tasks = era === 'legacy' ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } } : {}
  // oxlint-disable-next-line typescript/no-deprecated
  const server = new Server(
    { name, version: '0.1.0' },
    {
      capabilities: { tools: {}, ...tasks, ...(era === 'modern' && { extensions: { [TASKS]: {} } }) },
      inputRequired: { legacyShim: false },
    },
  )
  const faced = new Faced(desk, caller, era)
  const safely = discreetly(caller)
  server.setRequestHandler('tools/list', (_request, context) => faced.list(context) as never)
  server.setRequestHandler('tools/call', ({ params }, context) => safely(faced.call(params, context)))
  const params = { params: loose }
  server.setRequestHandler('tasks/get', params, (given, context) => safely(faced.get(given, context)))
  server.setRequestHandler('tasks/cancel', params, (given, context) => safely(faced.cancel(given, context)))
  if (era === 'legacy')
    server.setRequestHandler('tasks/result', params, (given, context) => safely(faced.result(given, context)))
  else server.setRequestHandler('tasks/update', params, (given, context) => safely(faced.update(given, context)))
  return server
}

/** What went wrong in here is told to whoever runs it, and not to strangers. */
function discreetly({ problem }: McpCaller): (answer: Promise<object>) => Promise<never> {
  return async (answer) => {
    try {
      return (await answer) as never
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      problem?.(error)
      throw new ProtocolError(INTERNAL_ERROR, 'Something went wrong here.')
    }
  }
}

class Faced {
  readonly #desk: Desk
  readonly #caller: McpCaller
  readonly #modern: boolean

  constructor(desk: Desk, caller: McpCaller, era: 'legacy' | 'modern') {
    this.#desk = desk
    this.#caller = caller
    this.#modern = era === 'modern'
  }

  list(context: ServerContext): { readonly tools: readonly Listed[] } {
    // Whoever can look at tasks again needs no tool for it.
    const tools = this.#desk.list(this.#caller).filter(({ name }) => name !== WAIT || !this.#takesTasks(context))
    return { tools }
  }

  async call(params: { readonly name: string; readonly arguments?: unknown }, context: ServerContext): Promise<object> {
    const { mcpReq } = context
    const back = mcpReq.requestState()
    const standing =
      typeof back === 'string'
        ? await this.#backWith(back, mcpReq.inputResponses ?? {}, context)
        : await this.#desk.begin(
            this.#caller,
            params.name,
            (params.arguments ?? {}) as Json,
            this.#called(context, 'task' in params),
          )
    if (!standing) throw new ProtocolError(INVALID_PARAMS, `There is no tool "${params.name}" here.`)
    return this.#answer(standing, context, 'task' in params)
  }

  /** The client asked its user, and calls again with what they said. */
  async #backWith(
    back: string,
    responses: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ): Promise<Standing> {
    const place = await this.#place(back)
    const now = await this.#desk.stands(this.#caller, place, this.#called(context))
    if (now.at !== 'held') return now
    await this.#desk.answer(this.#caller, now, responses, this.#able(context))
    return this.#desk.stands(this.#caller, place, this.#called(context))
  }

  async #answer(standing: Standing, context: ServerContext, asTask: boolean): Promise<object> {
    if (standing.at === 'refused') return failure(standing.why)
    if (standing.at === 'over') return standing.result
    const { place, seq } = standing
    const holds = standing.at === 'held' ? standing.holds : []
    const sealed = await this.#desk.tickets.seal(place, seq, this.#caller)
    const questions = this.#modern ? questionsOf(holds, this.#able(context)) : []
    if (questions.length > 0)
      return { resultType: 'input_required', inputRequests: requestsOf(questions), requestState: sealed }
    if (this.#takesTasks(context)) return { resultType: 'task', ...task(sealed, 'working', holds[0]?.reason) }
    // Without content the SDK takes it for a result that lacks it.
    if (!this.#modern && asTask) return { content: [], task: task(sealed, 'working', holds[0]?.reason, true) }
    const waited = await this.#desk.waits(this.#caller, place, context.mcpReq.signal)
    if (waited.at === 'over' || waited.at === 'refused') return this.#answer(waited, context, false)
    return inWords(waited.at === 'held' ? waited.holds : holds, sealed)
  }

  // Tasks

  async get(params: Params, context: ServerContext): Promise<object> {
    const { taskId, place } = await this.#task(params, context)
    const now = await standingOf(this.#caller.runtime, place)
    const old = !this.#modern
    switch (now.at) {
      case 'working':
        return task(taskId, 'working', undefined, old)
      case 'refused':
        return task(taskId, 'failed', now.why, old)
      case 'over':
        if (now.cancelled) return task(taskId, 'cancelled', undefined, old)
        return { ...task(taskId, 'completed', undefined, old), ...(!old && { result: now.result }) }
      case 'held': {
        const questions = old ? [] : questionsOf(now.holds, this.#able(context))
        if (questions.length === 0) return task(taskId, 'working', now.holds[0]?.reason, old)
        return { ...task(taskId, 'input_required', now.holds[0]?.reason), inputRequests: requestsOf(questions) }
      }
    }
  }

  async update(params: Params, context: ServerContext): Promise<object> {
    const { place } = await this.#task(params, context)
    const now = await standingOf(this.#caller.runtime, place)
    const given = params['inputResponses']
    if (now.at !== 'held' || !isObject(given)) return {}
    const wrong = await this.#desk.answer(this.#caller, now, given, this.#able(context))
    if (wrong.length > 0) throw new ProtocolError(INVALID_PARAMS, wrong.join(' '))
    return {}
  }

  /** Of the older generation, whose clients wait on the line for it. */
  async result(params: Params, context: ServerContext): Promise<object> {
    const { mcpReq } = context
    const { taskId, place } = await this.#task(params, context)
    const { runtime } = this.#caller
    const until = endOf(this.#caller, mcpReq.signal)
    for (;;) {
      await standingAfter(runtime, place, 'held', until)
      const now = await standingAfter(runtime, place, 'working', until)
      if (now.at === 'refused' || (until.aborted && now.at !== 'over'))
        throw new ProtocolError(INVALID_PARAMS, 'It has no result.')
      if (now.at === 'over') return { ...now.result, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } }
    }
  }

  async cancel(params: Params, context: ServerContext): Promise<object> {
    const { place } = await this.#task(params, context)
    await this.#desk.callOff(this.#caller, place, 'The client called it off.')
    return this.#modern ? {} : this.get(params, context)
  }

  async #task(params: Params, context: ServerContext): Promise<{ readonly taskId: string; readonly place: Place }> {
    if (this.#modern && !this.#takesTasks(context))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } })
    const taskId = params['taskId']
    if (typeof taskId !== 'string') throw new ProtocolError(INVALID_PARAMS, 'Say which task: "taskId".')
    return { taskId, place: await this.#place(taskId) }
  }

  async #place(sealed: string): Promise<Place> {
    const place = await this.#desk.tickets.open(sealed, this.#caller)
    if (place === undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such call of yours.')
    return place
  }

  /** Whoever takes tasks does not wait on the line for what takes long. Of the older ones, whoever asks for one gets it. */
  #called(context: ServerContext, asTask = false): Called {
    const { taskAfterMs } = this.#desk
    const patienceMs = this.#takesTasks(context) ? taskAfterMs : !this.#modern && asTask ? 0 : undefined
    return { signal: context.mcpReq.signal, progress: progressTo(context), patienceMs }
  }

  #able(context: ServerContext): Able {
    const elicitation = capabilitiesOf(context)['elicitation']
    const modes = isObject(elicitation) ? elicitation : {}
    const any = elicitation !== undefined
    return {
      form: any && ('form' in modes || Object.keys(modes).length === 0),
      url: 'url' in modes,
      resolves: this.#caller.resolves,
    }
  }

  #takesTasks(context: ServerContext): boolean {
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

function requestsOf(questions: readonly Asked[]): object {
  return Object.fromEntries(questions.map(({ key, request }) => [key, request]))
}

/** Whoever gave a token for it is told how far the call is. */
function progressTo({ mcpReq }: ServerContext): Called['progress'] {
  const token = mcpReq._meta?.progressToken
  let told = 0
  return (value) => {
    if (token === undefined) return
    const said = isObject(value) ? value : {}
    const at = typeof said['progress'] === 'number' ? said['progress'] : told + 1
    // What is no number, or does not grow, is nothing that the protocol has a word for.
    if (!(at > told)) return
    told = at
    const { total, message } = said
    const words = typeof message === 'string' ? message : typeof value === 'string' ? value : undefined
    const params = {
      progressToken: token,
      progress: at,
      ...(typeof total === 'number' && { total }),
      ...(words !== undefined && { message: words }),
    }
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

/** The two generations call the same things by other names. */
function task(taskId: string, status: string, message?: string, old = false): JsonObject {
  const at = new Date().toISOString()
  const times = old ? { ttl: null, pollInterval: POLL_MS } : { ttlMs: null, pollIntervalMs: POLL_MS }
  return {
    taskId,
    status,
    createdAt: at,
    lastUpdatedAt: at,
    ...times,
    ...(message !== undefined && { statusMessage: message }),
  }
}
