/**
 * Runs a call on a server until it has a value, a question or a task. A question makes the call a hold, and this function
 * runs again with the answer. A task makes it a hold that polls. The state of every wait is stored with its hold, so a
 * restart loses only the open connection to a legacy server.
 *
 * | state (`call-state.ts`) | meaning | next |
 * |---|---|---|
 * | none | the call was not sent | send it |
 * | `input` | a person answered a question of the server | ask the next one, or send the answers |
 * | `answered` | the server was unavailable when the answers were complete | send the answers |
 * | `resend` | the server wants the same call again | send it again |
 * | `task` | the server works on a task | poll it |
 * | `open-call` | a person answered a question on an open connection | answer it there, or decide what to do if it is lost |
 * | `lost` | a person was asked whether to start again | start again, or fail |
 */
import { ask, isObject, toolError, type ToolContext } from '@holdpoint/core'
import { HandlerRun, isServerAnswer, type HandlerOutcome } from './handler-run.ts'
import { readCallState, toHoldState, type Answered, type CallState } from './call-state.ts'
import { ServerUnavailable } from './connector.ts'
import type { Definition } from './tool-definition.ts'
import { answerTo } from './elicitation.ts'
import { followTask } from './follow-task.ts'
import { callLegacy, followOpenCall } from './legacy-call.ts'
import { callModern, sendAnswers, takeAnswer } from './modern-call.ts'
import type { ServerClient } from './server-client.ts'

export async function runCall(
  server: ServerClient,
  definition: Definition,
  context: ToolContext,
): Promise<HandlerOutcome> {
  const run = new HandlerRun(server, definition, context)
  try {
    return await resume(run, readCallState(context.resumed?.state))
  } catch (error) {
    if (context.signal.aborted) throw error
    if (error instanceof ServerUnavailable) return toolError(error.message)
    if (!isServerAnswer(error) && run.connection) server.connector.reportBroken(error, run.connection)
    return toolError(`The MCP server "${server.name}" failed: ${server.describe(error)}`)
  }
}

function resume(run: HandlerRun, state: CallState | undefined): HandlerOutcome | Promise<HandlerOutcome> {
  switch (state?.at) {
    case undefined:
      return start(run, [])
    case 'input':
      return takeAnswer(run, state)
    case 'answered':
      return sendAnswers(run, state)
    case 'resend':
      return callModern(run, { requestState: state.requestState }, state.rounds)
    case 'task':
      return run.retryLater(state, () => followTask(run, state))
    case 'open-call':
      return resumeOpenCall(run, state)
    case 'lost': {
      const answer = run.context.resumed?.answer
      const again = answer?.kind === 'answer' && 'value' in answer && isObject(answer.value) && answer.value['again']
      return again === true ? start(run, state.known) : lost(run)
    }
  }
}

async function start(run: HandlerRun, known: readonly Answered[]): Promise<HandlerOutcome> {
  const connection = await run.server.pool.forCall()
  run.connection = connection
  return connection.era === 'modern' ? callModern(run, {}, 0) : callLegacy(run, connection, known)
}

function resumeOpenCall(
  run: HandlerRun,
  { asked, token, taskId, since, known: before }: Extract<CallState, { at: 'open-call' }>,
): HandlerOutcome | Promise<HandlerOutcome> {
  const { server, context } = run
  const answer = answerTo(asked, context.resumed?.answer)
  const known = [...before, { asked, answer }]
  const open = server.openCalls.get(token)
  if (open) {
    server.watcher.forget(context.conversation, context.call.id)
    open.answer(answer)
    return followOpenCall(run, open, { known, taskId, since })
  }
  if (taskId !== undefined) return followTask(run, { taskId, since, answered: [], rounds: 0 })
  switch (server.onLost) {
    case 'retry':
      return start(run, known)
    case 'fail':
      return lost(run)
    case 'ask':
      return ask({
        prompt: `The connection to the MCP server "${server.name}" was lost while "${asked.message}" waited for its answer. The call may or may not have taken effect. Start it again?`,
        schema: { type: 'object', properties: { again: { type: 'boolean' } }, required: ['again'] },
        metadata: { from: server.name, mode: 'doubt' },
        state: toHoldState({ at: 'lost', known }),
      })
  }
}

function lost({ server }: HandlerRun): HandlerOutcome {
  return toolError(
    `The connection to the MCP server "${server.name}" was lost while the call waited for an answer. The call may or may not have taken effect.`,
  )
}
