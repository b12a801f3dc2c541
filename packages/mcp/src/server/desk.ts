/** What there is to call, and how a call of it goes: begun, waited for, answered, called off. */
import { HoldpointError, isObject, type Json, type JsonObject, type Tool, type ViewHold } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import type { McpCaller, McpFaceOptions } from './mcp-face.ts'
import { questionsOf, resolutionOf, type Able } from './questions.ts'
import { order, RELAY } from './relay.ts'
import { standingAfter, type Standing } from './standing.ts'
import type { Tickets } from './ticket.ts'
import { failure } from './tool-result.ts'

/** For clients that can only call tools: to come back to a call that was held. */
export const WAIT = 'wait_for_result'
const PATIENCE_MS = 25_000
const TASK_AFTER_MS = 10_000

const MESSAGE: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What to say to the agent.' },
    conversation: { type: 'string', description: 'An earlier conversation to go on with.' },
  },
  required: ['message'],
}
const TICKET: JsonObject = { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] }

/** A tool as clients are told of it. */
export interface Listed {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly execution?: JsonObject
}

/** Of whoever waits on the line. */
export interface Called {
  readonly signal: AbortSignal
  readonly progress: (value: Json) => void
  /** How long a call is worked on before it becomes a task, for clients that take one. */
  readonly patienceMs: number | undefined
}

export class Desk {
  readonly tickets: Tickets
  readonly patienceMs: number
  readonly taskAfterMs: number
  readonly #options: McpFaceOptions

  constructor(options: McpFaceOptions, tickets: Tickets) {
    this.#options = options
    this.tickets = tickets
    this.patienceMs = options.patienceMs ?? PATIENCE_MS
    this.taskAfterMs = options.taskAfterMs ?? TASK_AFTER_MS
  }

  /** What the caller may use. */
  list(caller: McpCaller): readonly Listed[] {
    const { tools = [], agents = [], may = () => true } = this.#options
    const shown: readonly Listed[] = [
      ...tools.filter(({ executor }) => executor !== 'provider').map(described),
      ...agents.map(({ name, description = `Talk to the agent "${name}".` }) => ({
        name: agentTool(name),
        description,
        inputSchema: MESSAGE,
      })),
      { name: WAIT, description: 'Get the result of a call that had to wait for somebody.', inputSchema: TICKET },
    ]
    return shown.filter(({ name }) => name === WAIT || may(caller, name))
  }

  /** Undefined when there is no such tool for this caller. */
  async begin(caller: McpCaller, name: string, input: Json, called: Called): Promise<Standing | undefined> {
    if (!this.list(caller).some((each) => each.name === name)) return undefined
    if (name === WAIT) return this.#comeBack(caller, input, called)
    const { agents = [] } = this.#options
    const agent = agents.find((each) => agentTool(each.name) === name)?.name
    const { message, conversation: earlier } = isObject(input) ? input : {}
    if (agent !== undefined && typeof message !== 'string')
      return { at: 'refused', why: 'Give a "message", which is text.' }
    const conversation = agent !== undefined && typeof earlier === 'string' ? earlier : `mcp-${randomUUID()}`
    const text = typeof message === 'string' && agent !== undefined ? message : order({ tool: name, input })
    const options = { agent: agent ?? RELAY, by: caller.by }
    // A conversation of another agent, or an id that cannot be one, is the caller's mistake.
    const begun = await caller.runtime.submit(conversation, text, options).catch(mistaken)
    if (!begun.ok) return { at: 'refused', why: begun.message }
    return this.stands(caller, conversation, called)
  }

  async #comeBack(caller: McpCaller, input: Json, called: Called): Promise<Standing> {
    const given = isObject(input) ? input['ticket'] : undefined
    const conversation = typeof given === 'string' ? await this.tickets.open(given, caller) : undefined
    if (conversation === undefined) return { at: 'refused', why: 'There is no such ticket of yours.' }
    return this.stands(caller, conversation, called)
  }

  /** Once it is over, or waits for somebody. Whoever goes away before that does not want it any more. */
  async stands({ runtime }: McpCaller, conversation: string, called: Called): Promise<Standing> {
    const { signal, progress, patienceMs } = called
    const until = patienceMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    const now = await standingAfter(runtime, conversation, 'working', until, progress)
    if (signal.aborted && now.at === 'working') await runtime.cancel(conversation, 'The client went away.')
    return now
  }

  /** For whoever can only wait: until it is over, or patience is. */
  async waits({ runtime }: McpCaller, conversation: string, signal: AbortSignal): Promise<Standing> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.patienceMs)])
    for (;;) {
      const now = await standingAfter(runtime, conversation, 'held', until)
      if (now.at !== 'working' || until.aborted) return now
      await standingAfter(runtime, conversation, 'working', until)
    }
  }

  /** Hands over what the client's user said. The messages are of answers that could not be taken. */
  async answer(
    caller: McpCaller,
    { conversation, holds }: Extract<Standing, { at: 'held' }>,
    responses: Readonly<Record<string, unknown>>,
    able: Able,
  ): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const asked of questionsOf(holds, able)) {
      const resolution = resolutionOf(asked, responses[asked.key])
      if (!resolution) continue
      const { callId, nth } = asked.hold
      const told = await caller.runtime.resolve(conversation, callId, resolution, { by: caller.by, hold: nth })
      if (told.verdict === 'invalid' || told.verdict === 'wrong-kind') wrong.push(told.message)
    }
    return wrong
  }
}

export function inWords(holds: readonly ViewHold[], ticket: string): CallToolResult {
  const each = holds.map(({ kind, name, reason }) => `${name} (${kind}${reason ? `: ${reason}` : ''})`)
  return failure(
    `This waits for somebody outside: ${each.join(', ')}. It is kept. Call ${WAIT} later with {"ticket":"${ticket}"}.`,
  )
}

function mistaken(error: unknown): { readonly ok: false; readonly message: string } {
  if (HoldpointError.is(error) && error.code === 'config-invalid') return { ok: false, message: error.message }
  throw error
}

function agentTool(name: string): string {
  return `ask_${name.replaceAll(/[^A-Za-z0-9_.-]/g, '_')}`
}

function described({ name, description, input, output }: Tool): Listed {
  const given = output?.json['type'] === 'object' ? { outputSchema: output.json } : {}
  return {
    name,
    description,
    inputSchema: { type: 'object', ...input.json },
    ...given,
    execution: { taskSupport: 'optional' },
  }
}
