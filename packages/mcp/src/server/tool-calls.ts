/** The tools that a caller may use, and the steps of a call: start, wait, answer, cancel. */
import { HoldpointError, isObject, type Json, type JsonObject, type Tool, type ViewHold } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { createHash, randomUUID } from 'node:crypto'
import { callStatus, callStatusAfter, type CallRef, type CallStatus } from './call-status.ts'
import type { McpCaller, OwnMcpServerOptions } from './create-mcp-server.ts'
import { DIRECT_CALL_AGENT, directCallMessage, SENDER } from './direct-call-agent.ts'
import { questionsOf, resolutionOf, type ClientAbilities } from './questions.ts'
import type { ResumeTokens } from './resume-tokens.ts'
import { failure } from './tool-result.ts'

/** The tool that returns the result of a held call, for clients that support neither questions nor tasks. */
export const WAIT_FOR_RESULT = 'wait_for_result'
const PATIENCE_MS = 25_000
const TASK_AFTER_MS = 10_000

const MESSAGE: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The message to the agent.' },
    conversation: { type: 'string', description: 'The id of an earlier conversation to continue.' },
  },
  required: ['message'],
}
const RESUME: JsonObject = {
  type: 'object',
  properties: { resume_token: { type: 'string' } },
  required: ['resume_token'],
}

/** A tool as `tools/list` returns it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly execution?: JsonObject
}

/** The request that waits for a call. */
export interface WaitingRequest {
  readonly signal: AbortSignal
  readonly progress: (value: Json) => void
  /** How long a call may run before it becomes a task. Undefined for clients without tasks. */
  readonly patienceMs: number | undefined
  /** The `traceparent` of the client. The turn's spans go on in its trace. */
  readonly trace: string | undefined
}

export class ToolCalls {
  readonly patienceMs: number
  readonly taskAfterMs: number
  readonly #options: OwnMcpServerOptions
  readonly #tokens: ResumeTokens

  constructor(options: OwnMcpServerOptions, tokens: ResumeTokens) {
    this.#options = options
    this.#tokens = tokens
    this.patienceMs = options.patienceMs ?? PATIENCE_MS
    this.taskAfterMs = options.taskAfterMs ?? TASK_AFTER_MS
  }

  /** The tools that the caller may use. */
  list(caller: McpCaller): readonly ListedTool[] {
    const { tools = [], agents = [], may = () => true } = this.#options
    const listed: readonly ListedTool[] = [
      ...tools.filter(({ executor }) => executor !== 'provider').map(listedTool),
      ...agents.map(({ name, description = `Talk to the agent "${name}".` }) => ({
        name: agentTool(name),
        description,
        inputSchema: MESSAGE,
      })),
      { name: WAIT_FOR_RESULT, description: 'Get the result of a call that was held.', inputSchema: RESUME },
    ]
    return listed.filter(({ name }) => name === WAIT_FOR_RESULT || may(caller, name))
  }

  /** Undefined when the caller may not use such a tool. */
  async start(caller: McpCaller, name: string, input: Json, request: WaitingRequest): Promise<CallStatus | undefined> {
    if (!this.list(caller).some((each) => each.name === name)) return undefined
    if (name === WAIT_FOR_RESULT) return this.#resume(caller, input, request)
    const { agents = [] } = this.#options
    const agent = agents.find((each) => agentTool(each.name) === name)?.name
    const { message, conversation: earlier } = isObject(input) ? input : {}
    if (agent !== undefined && typeof message !== 'string')
      return { state: 'refused', why: 'The input needs a "message", which is text.' }
    const continues = agent !== undefined && typeof earlier === 'string'
    if (continues && !(await mayContinue(caller, earlier)))
      return {
        state: 'refused',
        why: 'You have no idle conversation with this id. Leave out "conversation" to start a new one.',
      }
    const conversation = continues ? earlier : `${conversationPrefix(caller)}${randomUUID()}`
    const text = typeof message === 'string' && agent !== undefined ? message : directCallMessage({ tool: name, input })
    const by = caller.principal ?? caller.by
    const { trace } = request
    const common = { by, ...(trace !== undefined && { trace }) }
    const options = agent === undefined ? { agent: DIRECT_CALL_AGENT, sender: SENDER, ...common } : { agent, ...common }
    // A conversation with another agent or an invalid id is an error of the caller.
    const started = await caller.runtime.submit(conversation, text, options).catch(callerError)
    if (!started.ok) return { state: 'refused', why: started.message }
    if (started.turnId === undefined)
      return { state: 'refused', why: 'The conversation is busy. It receives the message when its turn ends.' }
    return this.wait(caller, { conversation, turnId: started.turnId }, request)
  }

  /** A token for the call, which only this caller can use. */
  sign(caller: McpCaller, call: CallRef, seq: number): Promise<string> {
    return this.#tokens.sign(call, seq, caller)
  }

  /** Undefined when the token is not the caller's, or the caller was removed from the conversation in the meantime. */
  async verify(caller: McpCaller, token: string): Promise<CallRef | undefined> {
    const call = await this.#tokens.verify(token, caller)
    return call && (await takesPart(caller, call.conversation)) ? call : undefined
  }

  async #resume(caller: McpCaller, input: Json, request: WaitingRequest): Promise<CallStatus> {
    const token = isObject(input) ? input['resume_token'] : undefined
    const call = typeof token === 'string' ? await this.verify(caller, token) : undefined
    if (call === undefined) return { state: 'refused', why: 'The resume token is not valid for you.' }
    // The client can come back with its token, so an aborted request does not cancel the call.
    return this.#statusAfterWork(caller, call, request)
  }

  /** Waits until the call is finished or held. A client that disconnects before that cancels the call. */
  async wait(caller: McpCaller, call: CallRef, request: WaitingRequest): Promise<CallStatus> {
    const status = await this.#statusAfterWork(caller, call, request)
    if (request.signal.aborted && status.state === 'working')
      await this.cancel(caller, call, 'The client disconnected.')
    return status
  }

  #statusAfterWork(
    caller: McpCaller,
    call: CallRef,
    { signal, progress, patienceMs }: WaitingRequest,
  ): Promise<CallStatus> {
    return callStatusAfter(caller.runtime, call, 'working', waitSignal(caller, signal, patienceMs), progress)
  }

  /** Cancels this call only, never a later turn of the conversation. */
  async cancel({ runtime }: McpCaller, call: CallRef, why: string): Promise<void> {
    const { state } = await callStatus(runtime, call)
    if (state === 'working' || state === 'held') await runtime.cancel(call.conversation, why)
  }

  /** Waits until the call is finished or `patienceMs` have passed, also while it is held. */
  async waitForResult(caller: McpCaller, call: CallRef, signal: AbortSignal): Promise<CallStatus> {
    const { runtime } = caller
    const until = waitSignal(caller, signal, this.patienceMs)
    for (;;) {
      const status = await callStatusAfter(runtime, call, 'held', until)
      if (status.state !== 'working' || until.aborted) return status
      await callStatusAfter(runtime, call, 'working', until)
    }
  }

  /** Resolves holds with the answers of the client's user. Returns the messages of answers that were refused. */
  async answer(
    caller: McpCaller,
    { call, holds }: Extract<CallStatus, { state: 'held' }>,
    responses: Readonly<Record<string, unknown>>,
    abilities: ClientAbilities,
  ): Promise<readonly string[]> {
    const refused: string[] = []
    for (const question of questionsOf(holds, abilities)) {
      const resolution = resolutionOf(question, responses[question.key])
      if (!resolution) continue
      // `nth` names the hold that the caller was asked about. A later hold of the call may need other rights.
      const { callId, nth } = question.hold
      const answer = await caller.runtime.resolve(call.conversation, callId, resolution, {
        by: caller.principal ?? caller.by,
        hold: nth,
      })
      if (answer.verdict === 'invalid' || answer.verdict === 'wrong-kind') refused.push(answer.message)
    }
    return refused
  }
}

/** The result for a client that can only call tools. */
export function heldResult(holds: readonly ViewHold[], token: string): CallToolResult {
  const each = holds.map(({ kind, name, reason }) => `${name} (${kind}${reason ? `: ${reason}` : ''})`)
  const why = each.length > 0 ? `The call is held: ${each.join(', ')}.` : 'The call is still running.'
  return failure(`${why} It is stored. Call ${WAIT_FOR_RESULT} later with {"resume_token":"${token}"}.`)
}

/** Aborts when the request ends, after `patienceMs`, or when the process shuts down. */
export function waitSignal({ closing }: McpCaller, signal: AbortSignal, patienceMs?: number): AbortSignal {
  const timeout = patienceMs === undefined ? [] : [AbortSignal.timeout(patienceMs)]
  return AbortSignal.any([signal, ...(closing ? [closing] : []), ...timeout])
}

function callerError(error: unknown): { readonly ok: false; readonly message: string } {
  if (HoldpointError.is(error) && error.code === 'config-invalid') return { ok: false, message: error.message }
  throw error
}

/**
 * Only an idle conversation that the same credential started over MCP. Any other conversation asks its questions of other
 * people, and the log of an autonomous agent contains messages that are not for the caller.
 */
async function mayContinue(caller: McpCaller, conversation: string): Promise<boolean> {
  const { runtime, by } = caller
  if (!conversation.startsWith(conversationPrefix(caller))) return false
  const [first] = await runtime.events(conversation, 0, 1).catch(() => [])
  const [item] = first?.type === 'turn.started' ? first.items : []
  if (item?.kind !== 'message' || item.message.by !== by) return false
  return (await runtime.view(conversation, { turns: 1 }))?.status === 'idle'
}

/** A caller with access to its own conversations only may have been removed from one that it started. */
async function takesPart({ runtime, principal }: McpCaller, conversation: string): Promise<boolean> {
  if (principal?.access !== 'own') return true
  const people = await runtime.participants(conversation)
  return people !== undefined && (people.owner === principal.id || people.participants.includes(principal.id))
}

/** Derived from the credential's id. Another key may have the same name, and so the same `by`. */
function conversationPrefix({ id }: McpCaller): string {
  return `mcp-${createHash('sha256').update(id).digest('hex').slice(0, 16)}-`
}

function agentTool(name: string): string {
  return `ask_${name.replaceAll(/[^A-Za-z0-9_.-]/g, '_')}`
}

function listedTool({ name, description, input, output }: Tool): ListedTool {
  const outputSchema = output?.json['type'] === 'object' ? { outputSchema: output.json } : {}
  return {
    name,
    description,
    inputSchema: { type: 'object', ...input.json },
    ...outputSchema,
    execution: { taskSupport: 'optional' },
  }
}
