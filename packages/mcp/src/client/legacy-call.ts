/**
 * Calls to servers of 2025-11-25 and older. Such a server asks its questions while the request is open, so a call that
 * waits for a person keeps its connection.
 */
import { ask, type Json } from '@holdpoint/core'
import { NO_TIMEOUT, type HandlerRun, type HandlerOutcome } from './handler-run.ts'
import { toHoldState, type Answered } from './call-state.ts'
import type { Connection } from './connector.ts'
import { questionOf, type ElicitRequest } from './elicitation.ts'
import { OpenCall } from './open-call.ts'
import { pollLater, valueOrTask, type TaskState } from './value-or-task.ts'
import type { Task } from './tasks.ts'

/** What a run knows about an open call. */
export interface OpenCallProgress {
  /** The questions that were answered, with their answers. */
  readonly known: readonly Answered[]
  readonly taskId: string | undefined
  readonly since: number
}

/** `known`: the answers of an earlier attempt, in case the server asks the same questions again. */
export function callLegacy(
  run: HandlerRun,
  connection: Connection,
  known: readonly Answered[],
): Promise<HandlerOutcome> {
  const { client } = connection
  const task = run.definition.task && client.getServerCapabilities()?.tasks ? { task: {} } : {}
  const open = new OpenCall(connection, (signal, onprogress) =>
    client.callTool(
      { ...run.request, ...task },
      { signal, timeout: NO_TIMEOUT, onprogress, toolDefinition: run.toolDefinition as never },
    ),
  )
  return followOpenCall(run, open, { known, taskId: undefined, since: Date.now() })
}

/** Requests the result of a task, because a legacy server asks its questions only during that request. */
export async function legacyTaskResult(
  run: HandlerRun,
  connection: Connection,
  task: Task,
  state: TaskState,
): Promise<HandlerOutcome> {
  const { taskId } = task
  // Behind a process, a question does not say which of two calls it belongs to.
  if (connection.stdio && run.server.openCalls.on(connection).length > 0)
    return pollLater(run, task, state, task.pollMs)
  const open = new OpenCall(connection, (signal) => connection.tasks.result(taskId, signal, NO_TIMEOUT))
  return followOpenCall(run, open, { known: [], taskId, since: state.since })
}

/** Waits for the result or the next new question. A question that was answered before gets the same answer. */
export async function followOpenCall(
  run: HandlerRun,
  open: OpenCall,
  { known, taskId, since }: OpenCallProgress,
): Promise<HandlerOutcome> {
  const { server, context } = run
  const { signal, conversation, call } = context
  server.openCalls.add(open)
  open.progress = (value) => context.progress(value as Json)
  const stop = (): void => open.abort()
  signal.addEventListener('abort', stop, { once: true })
  let held = false
  try {
    for (;;) {
      const next = await open.next()
      if (next.kind === 'failed') throw next.error
      if (next.kind === 'result') {
        if (taskId !== undefined) {
          server.pool.taskEnded(taskId)
          await server.watcher.forgetTask(conversation, call.id)
        }
        return await valueOrTask(run, next.result, open.connection)
      }
      const { asked } = next
      const before = known.find((each) => JSON.stringify(each.asked) === JSON.stringify(asked))
      if (before) {
        open.answer(before.answer)
        continue
      }
      held = true
      server.holdConnection(open, conversation, call.id)
      return askPerson(run, open, asked, { known, taskId, since })
    }
  } finally {
    signal.removeEventListener('abort', stop)
    if (!held) await server.pool.release(open)
  }
}

function askPerson(
  { server }: HandlerRun,
  { token }: OpenCall,
  asked: ElicitRequest,
  { known, taskId, since }: OpenCallProgress,
): HandlerOutcome {
  const state = toHoldState({
    at: 'open-call',
    token,
    asked,
    known,
    since,
    ...(taskId !== undefined && { taskId }),
  })
  return ask(questionOf(asked, server.name, state))
}
