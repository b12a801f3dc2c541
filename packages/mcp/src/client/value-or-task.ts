/** A server may answer a call with a task, which it works on after the answer. */
import { later } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { HandlerRun, HandlerOutcome } from './handler-run.ts'
import { toHoldState, type CallState } from './call-state.ts'
import type { Connection } from './connector.ts'
import { taskIn, type Task } from './tasks.ts'
import { toolValue } from './tool-value.ts'

export type TaskState = Omit<Extract<CallState, { readonly at: 'task' }>, 'at'>

/**
 * The call's value, or a hold that polls its task. The task's id is stored before the hold: in the log with the hold, and
 * in a document so that the task can be cancelled.
 */
export async function valueOrTask(
  run: HandlerRun,
  result: CallToolResult,
  connection: Connection,
): Promise<HandlerOutcome> {
  const task = taskIn(result)
  if (!task) return toolValue(result)
  const { server, context } = run
  const { conversation, call } = context
  await server.watcher.storeTask(conversation, call.id, server.key, task.taskId)
  server.pool.taskStarted(task.taskId, connection)
  server.watchTask(conversation, call.id, task.taskId)
  return pollLater(run, task, { taskId: task.taskId, answered: [], since: Date.now(), rounds: 0 }, task.pollMs)
}

export function pollLater({ server }: HandlerRun, { message }: Task, state: TaskState, after: number): HandlerOutcome {
  const reason = message ?? `The MCP server "${server.name}" is working on a task.`
  return later({ after, reason, state: toHoldState({ at: 'task', ...state }) })
}
