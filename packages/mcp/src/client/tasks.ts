/**
 * Tasks: calls that the server works on after its answer. There are two versions: in the protocol of 2025-11-25 the result
 * is a separate request; in the extension of 2026-07-28 it comes with the status, and questions are answered by an update.
 */
import { isObject, type Json, type JsonObject } from '@holdpoint/core'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { ElicitAnswer } from './elicitation.ts'
import { TASK } from './transport.ts'

export interface Task {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed'
  readonly message: string | undefined
  readonly pollMs: number
  readonly result: CallToolResult | undefined
  readonly inputRequests: JsonObject
}

/** The server's answer is not a valid task. It did answer, so the connection works. */
export class InvalidTask extends Error {
  override readonly name = 'InvalidTask'
}

const anything = z.looseObject({})
const STATUSES: readonly Task['status'][] = ['working', 'input_required', 'completed', 'cancelled', 'failed']
const POLL_MS: readonly [number, number] = [250, 60_000]

/** The task in the answer to a call, if there is one. */
export function taskIn(result: CallToolResult): Task | undefined {
  const carried = result._meta?.[TASK]
  return carried === undefined ? undefined : readTask(carried as Json)
}

function readTask(given: Json): Task {
  const { taskId, status, statusMessage, error, result, inputRequests, ...more } = isObject(given) ? given : {}
  const validStatus = STATUSES.find((each) => each === status)
  if (typeof taskId !== 'string' || taskId.length > 1000 || !validStatus)
    throw new InvalidTask('it sent an invalid task')
  const poll = Number(more['pollIntervalMs'] ?? more['pollInterval'] ?? 1000)
  const why = isObject(error) ? error['message'] : statusMessage
  return {
    taskId,
    status: validStatus,
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
    const task = readTask((await this.#request('tasks/get', taskId, signal)) as Json)
    if (task.taskId !== taskId) throw new InvalidTask('it answered with another task')
    return task
  }

  /** Legacy servers only. They ask their questions during this request. */
  async result(taskId: string, signal: AbortSignal, timeout: number): Promise<CallToolResult> {
    return (await this.#request('tasks/result', taskId, signal, { timeout })) as CallToolResult
  }

  async update(
    taskId: string,
    inputResponses: Readonly<Record<string, ElicitAnswer>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#request('tasks/update', taskId, signal, { inputResponses })
  }

  async cancel(taskId: string): Promise<void> {
    await this.#request('tasks/cancel', taskId, AbortSignal.timeout(10_000))
  }

  #request(
    method: string,
    taskId: string,
    signal: AbortSignal,
    { timeout = 30_000, ...more }: { readonly timeout?: number; readonly inputResponses?: object } = {},
  ): Promise<unknown> {
    const headers = this.modern ? { headers: { 'mcp-name': taskId } } : {}
    return this.#client.request({ method, params: { taskId, ...more } }, anything, { signal, timeout, ...headers })
  }
}
