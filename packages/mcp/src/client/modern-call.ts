/**
 * Calls to servers of 2026-07-28. Such a server keeps no state between requests: it answers with its questions and a state,
 * and the call is sent again with the answers and that state.
 */
import { ask, toolError, type Json } from '@holdpoint/core'
import { askForInput } from './ask-for-input.ts'
import { NO_TIMEOUT, type HandlerRun, type HandlerOutcome } from './handler-run.ts'
import { toHoldState, type CallState } from './call-state.ts'
import { answerTo, questionOf, type ElicitAnswer } from './elicitation.ts'
import { followTask } from './follow-task.ts'
import { LIMITS } from './limits.ts'
import { valueOrTask } from './value-or-task.ts'

export async function callModern(
  run: HandlerRun,
  extra: { readonly requestState?: string; readonly inputResponses?: Readonly<Record<string, ElicitAnswer>> },
  rounds: number,
): Promise<HandlerOutcome> {
  const { server, context } = run
  const connection = await server.connector.connection()
  run.connection = connection
  const options = {
    signal: context.signal,
    timeout: NO_TIMEOUT,
    allowInputRequired: true,
    toolDefinition: run.toolDefinition as never,
    onprogress: (value: unknown) => context.progress(value as Json),
  } as const
  const result = await connection.use(() => connection.client.callTool({ ...run.request, ...extra }, options))
  if ((result as { resultType?: string }).resultType === 'input_required')
    return askForInput(server, result as never, rounds)
  return valueOrTask(run, result, connection)
}

/** A person answered a question. Asks the next one, or sends all answers to the server. */
export function takeAnswer(
  run: HandlerRun,
  state: Extract<CallState, { at: 'input' }>,
): HandlerOutcome | Promise<HandlerOutcome> {
  const { key, asked, rounds, requestState, task } = state
  const question = asked[key]
  if (!question) return toolError('The question is unknown.')
  const answers = { ...state.answers, [key]: answerTo(question, run.context.resumed?.answer) }
  const open = Object.entries(asked).find(([each]) => !(each in answers))
  if (open) return ask(questionOf(open[1], run.server.name, toHoldState({ ...state, key: open[0], answers })))
  return sendAnswers(run, {
    at: 'answered',
    answers,
    rounds,
    since: Date.now(),
    ...(requestState !== undefined && { requestState }),
    ...(task && { task }),
  })
}

/** Days may have passed since the question. If the server is unavailable now, the answers are kept and sent later. */
export async function sendAnswers(
  run: HandlerRun,
  state: Extract<CallState, { at: 'answered' }>,
): Promise<HandlerOutcome> {
  const { answers, requestState, task, rounds } = state
  const { server, context } = run
  if (task)
    return run.retryLater(state, async () => {
      run.connection = await server.pool.forTask(task.taskId)
      await run.connection.tasks.update(task.taskId, answers, context.signal)
      const answered = [...task.answered, ...Object.keys(answers)]
      return followTask(run, { taskId: task.taskId, answered, since: Date.now(), rounds })
    })
  const extra = { inputResponses: answers, ...(requestState !== undefined && { requestState }) }
  const unavailable = await run.retryLater(state, () => probe(run))
  return unavailable ?? callModern(run, extra, rounds)
}

/** A call without an answer may or may not have run. So the server is probed first, which can be retried safely. */
async function probe(run: HandlerRun): Promise<undefined> {
  run.connection = await run.server.connector.connection()
  await run.connection.client.discover({ signal: run.context.signal, timeout: LIMITS.connectMs })
}
