/**
 * Tasks: a call that the server works on after it has answered. Two generations say the same differently: of the protocol
 * of 2025-11-25, where the result is asked for by itself, and of the extension to that of 2026-07-28, where it comes with
 * the state and questions are answered by an update.
 */
import { isObject, type Json, type JsonObject } from '@holdpoint/core'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { ElicitAnswer } from './elicitation.ts'
import { TASK } from './wire.ts'

export interface Task {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed'
  readonly message: string | undefined
  readonly pollMs: number
  readonly result: CallToolResult | undefined
  readonly inputRequests: JsonObject
}

/** What a server said where it should have told of a task. It answered, so the line is well. */
export class NoTask extends Error {
  override readonly name = 'NoTask'
}

const anything = z.looseObject({})
const STATUSES: readonly Task['status'][] = ['working', 'input_required', 'completed', 'cancelled', 'failed']
const POLL_MS: readonly [number, number] = [250, 60_000]

/** The task that a call was answered with, if it was. */
export function taskIn(result: CallToolResult): Task | undefined {
  const carried = result._meta?.[TASK]
  return carried === undefined ? undefined : readTask(carried as Json)
}

function readTask(given: Json): Task {
  const { taskId, status, statusMessage, error, result, inputRequests, ...more } = isObject(given) ? given : {}
  const known = STATUSES.find((each) => each === status)
  if (typeof taskId !== 'string' || taskId.length > 1000 || !known) throw new NoTask('it sent no task')
  const poll = Number(more['pollIntervalMs'] ?? more['pollInterval'] ?? 1000)
  const why = isObject(error) ? error['message'] : statusMessage
  return {
    taskId,
    status: known,
    message: typeof why === 'string' ? why : undefined,
    pollMs: Math.min(Math.max(Number.isFinite(poll) ? poll : 1000, POLL_MS[0]), POLL_MS[1]),
    result: isObject(result) ? (result as unknown as CallToolResult) : undefined,
    inputRequests: isObject(inputRequests) ? inputRequests : {},
  }
}

export class Tasks {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  get modern(): boolean {
    return this.#client.getProtocolEra() === 'modern'
  }

  async get(taskId: string, signal: AbortSignal): Promise<Task> {
    const task = readTask((await this.#ask('tasks/get', taskId, signal)) as Json)
    if (task.taskId !== taskId) throw new NoTask('it answers for another task')
    return task
  }

  /** Older servers give the result when they are asked for it, and ask their questions meanwhile. */
  async result(taskId: string, signal: AbortSignal, timeout: number): Promise<CallToolResult> {
    return (await this.#ask('tasks/result', taskId, signal, { timeout })) as CallToolResult
  }

  async update(
    taskId: string,
    inputResponses: Readonly<Record<string, ElicitAnswer>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#ask('tasks/update', taskId, signal, { inputResponses })
  }

  async cancel(taskId: string): Promise<void> {
    await this.#ask('tasks/cancel', taskId, AbortSignal.timeout(10_000))
  }

  #ask(
    method: string,
    taskId: string,
    signal: AbortSignal,
    { timeout = 30_000, ...more }: { readonly timeout?: number; readonly inputResponses?: object } = {},
  ): Promise<unknown> {
    const headers = this.modern ? { headers: { 'mcp-name': taskId } } : {}
    return this.#client.request({ method, params: { taskId, ...more } }, anything, { signal, timeout, ...headers })
  }
}
