/** What there is to call, and how a call of it goes: begun, waited for, answered, called off. */
import { HoldpointError, isObject, type Json, type JsonObject, type Tool, type ViewHold } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import type { McpCaller, McpFaceOptions } from './mcp-face.ts'
import { questionsOf, resolutionOf, type Able } from './questions.ts'
import { order, RELAY } from './relay.ts'
import { standingAfter, standingOf, type Place, type Standing } from './standing.ts'
import type { Tickets } from './ticket.ts'
import { failure } from './tool-result.ts'

/** For clients that can only call tools: to come back to a call that was held. */
export const WAIT = 'wait_for_result'
/** Of conversations that began here. */
const PREFIX = 'mcp-'
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
    const goesOn = agent !== undefined && typeof earlier === 'string'
    if (goesOn && !(await mayGoOn(caller, earlier)))
      return { at: 'refused', why: 'There is no such conversation of yours that rests. Leave it out to begin one.' }
    const conversation = goesOn ? earlier : `${PREFIX}${randomUUID()}`
    const text = typeof message === 'string' && agent !== undefined ? message : order({ tool: name, input })
    const options = { agent: agent ?? RELAY, by: caller.by }
    // A conversation of another agent, or an id that cannot be one, is the caller's mistake.
    const begun = await caller.runtime.submit(conversation, text, options).catch(mistaken)
    if (!begun.ok) return { at: 'refused', why: begun.message }
    if (begun.turnId === undefined) return { at: 'refused', why: 'The conversation is busy, and will hear it later.' }
    return this.stands(caller, { conversation, turnId: begun.turnId }, called)
  }

  async #comeBack(caller: McpCaller, input: Json, called: Called): Promise<Standing> {
    const given = isObject(input) ? input['ticket'] : undefined
    const place = typeof given === 'string' ? await this.tickets.open(given, caller) : undefined
    if (place === undefined) return { at: 'refused', why: 'There is no such ticket of yours.' }
    // Whoever has a ticket may come again, so going away says nothing.
    return this.#standing(caller, place, called)
  }

  /** Once it is over, or waits for somebody. Whoever goes away before that does not want it any more. */
  async stands(caller: McpCaller, place: Place, called: Called): Promise<Standing> {
    const now = await this.#standing(caller, place, called)
    if (called.signal.aborted && now.at === 'working') await this.callOff(caller, place, 'The client went away.')
    return now
  }

  #standing(caller: McpCaller, place: Place, { signal, progress, patienceMs }: Called): Promise<Standing> {
    const until = endOf(caller, signal, patienceMs)
    return standingAfter(caller.runtime, place, 'working', until, progress)
  }

  /** That call, and none that the conversation has had since. */
  async callOff({ runtime }: McpCaller, place: Place, why: string): Promise<void> {
    const { at } = await standingOf(runtime, place)
    if (at === 'working' || at === 'held') await runtime.cancel(place.conversation, why)
  }

  /** For whoever can only wait: until it is over, or patience is. */
  async waits(caller: McpCaller, place: Place, signal: AbortSignal): Promise<Standing> {
    const { runtime } = caller
    const until = endOf(caller, signal, this.patienceMs)
    for (;;) {
      const now = await standingAfter(runtime, place, 'held', until)
      if (now.at !== 'working' || until.aborted) return now
      await standingAfter(runtime, place, 'working', until)
    }
  }

  /** Hands over what the client's user said. The messages are of answers that could not be taken. */
  async answer(
    caller: McpCaller,
    { place, holds }: Extract<Standing, { at: 'held' }>,
    responses: Readonly<Record<string, unknown>>,
    able: Able,
  ): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const asked of questionsOf(holds, able)) {
      const resolution = resolutionOf(asked, responses[asked.key])
      if (!resolution) continue
      const { callId, nth } = asked.hold
      const told = await caller.runtime.resolve(place.conversation, callId, resolution, { by: caller.by, hold: nth })
      if (told.verdict === 'invalid' || told.verdict === 'wrong-kind') wrong.push(told.message)
    }
    return wrong
  }
}

export function inWords(holds: readonly ViewHold[], ticket: string): CallToolResult {
  const each = holds.map(({ kind, name, reason }) => `${name} (${kind}${reason ? `: ${reason}` : ''})`)
  const why = each.length > 0 ? `This waits for somebody outside: ${each.join(', ')}.` : 'This is still worked on.'
  return failure(`${why} It is kept. Call ${WAIT} later with {"ticket":"${ticket}"}.`)
}

/** When nobody waits on the line any more: they went away, or lost patience, or nobody will be answered here. */
export function endOf({ closing }: McpCaller, signal: AbortSignal, patienceMs?: number): AbortSignal {
  const patience = patienceMs === undefined ? [] : [AbortSignal.timeout(patienceMs)]
  return AbortSignal.any([signal, ...(closing ? [closing] : []), ...patience])
}

function mistaken(error: unknown): { readonly ok: false; readonly message: string } {
  if (HoldpointError.is(error) && error.code === 'config-invalid') return { ok: false, message: error.message }
  throw error
}

/**
 * A conversation that the caller began over MCP, and that rests. Others are somebody else's: what is asked in them is asked
 * of other people, and an agent's own life hears what is none of the caller's business.
 */
async function mayGoOn({ runtime, by }: McpCaller, conversation: string): Promise<boolean> {
  if (!conversation.startsWith(PREFIX)) return false
  const [first] = await runtime.events(conversation, 0, 1).catch(() => [])
  const [item] = first?.type === 'turn.started' ? first.items : []
  if (item?.kind !== 'message' || item.message.by !== by) return false
  return (await runtime.view(conversation, { turns: 1 }))?.status === 'idle'
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
