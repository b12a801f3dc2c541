/** Polls a task of either protocol era until it ends or asks a question. A task that takes long becomes a hold again. */
import { toolError } from '@holdpoint/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { askForInput } from './ask-for-input.ts'
import type { HandlerRun, HandlerOutcome } from './handler-run.ts'
import type { Connection } from './connector.ts'
import { legacyTaskResult } from './legacy-call.ts'
import { pollLater, type TaskState } from './value-or-task.ts'
import type { Task } from './tasks.ts'
import { toolValue } from './tool-value.ts'

/** How long one run polls before the call becomes a hold again. */
const RUN_MS = 15_000
const MAX_PAUSE_MS = 5 * 60_000

export async function followTask(run: HandlerRun, state: TaskState): Promise<HandlerOutcome> {
  const { server, context } = run
  const { taskId, since, answered, rounds } = state
  const { signal, conversation, call } = context
  const connection = await server.pool.forTask(taskId)
  run.connection = connection
  server.watchTask(conversation, call.id, taskId)
  const until = Date.now() + RUN_MS
  for (;;) {
    const task = await connection.tasks.get(taskId, signal)
    if (task.message !== undefined) context.progress({ status: task.status, message: task.message })
    if (task.status === 'input_required' && connection.era === 'legacy')
      return legacyTaskResult(run, connection, task, state)
    const questions = Object.keys(task.inputRequests).filter((key) => !answered.includes(key))
    if (task.status === 'input_required' && questions.length > 0) return askForInput(server, task, rounds, state)
    if (task.status !== 'working' && task.status !== 'input_required') return taskOutcome(run, connection, task)
    if (Date.now() - since > server.taskTimeoutMs)
      return toolError(`The MCP server "${server.name}" took longer than ${server.taskTimeoutMs} ms.`)
    // The longer the task takes, the longer the pause.
    if (Date.now() + task.pollMs > until) {
      const pause = Math.min(Math.max(task.pollMs, (Date.now() - since) / 4), MAX_PAUSE_MS)
      return pollLater(run, task, state, Math.ceil(pause))
    }
    await sleep(task.pollMs, undefined, { signal })
  }
}

async function taskOutcome(
  { server, context }: HandlerRun,
  connection: Connection,
  task: Task,
): Promise<HandlerOutcome> {
  const { signal, conversation, call } = context
  const { taskId, status, message } = task
  const result =
    status === 'completed' ? (task.result ?? (await connection.tasks.result(taskId, signal, 30_000))) : undefined
  server.pool.taskEnded(taskId)
  await server.watcher.forgetTask(conversation, call.id)
  if (result) return toolValue(result)
  return toolError(`The MCP server "${server.name}" says the task ${status}: ${message ?? 'no reason'}`)
}
