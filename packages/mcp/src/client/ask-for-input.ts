/** Asks a person the questions of a server, one after the other. */
import { ask, isObject, later, describeValue, toolError, type HandlerResult, type Json } from '@holdpoint/core'
import { toHoldState, type CallState, type TaskSoFar } from './call-state.ts'
import { questionOf, readElicitation, type ElicitRequest } from './elicitation.ts'
import { LIMITS } from './limits.ts'
import type { ServerClient } from './server-client.ts'

export interface InputRequired {
  readonly inputRequests?: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

/** `asked` is the number of questions that the call has had so far. */
export function askForInput(
  { name, plainHttp }: ServerClient,
  { inputRequests = {}, requestState }: InputRequired,
  asked: number,
  task?: TaskSoFar,
): Awaited<HandlerResult<Json>> {
  const questions: [string, ElicitRequest][] = []
  for (const [key, request] of Object.entries(inputRequests)) {
    if (task?.answered.includes(key)) continue
    const { method, params } = isObject(request) ? request : {}
    const read = method === 'elicitation/create' ? readElicitation(params, plainHttp) : undefined
    if (!read)
      return toolError(`The MCP server "${name}" requests an input that is not supported: ${describeValue(method)}`)
    questions.push([key, read])
  }
  const rounds = asked + Math.max(questions.length, 1)
  if (rounds > LIMITS.questions) return toolError(`The MCP server "${name}" asks too many questions.`)
  const [first] = questions
  if (!first) {
    if (requestState === undefined) return toolError(`The MCP server "${name}" requires input, but asks no question.`)
    return later({ after: 1000 * 2 ** Math.min(asked, 6), state: toHoldState({ at: 'resend', requestState, rounds }) })
  }
  const [key, question] = first
  const state: CallState = {
    at: 'input',
    key,
    asked: Object.fromEntries(questions),
    answers: {},
    rounds,
    ...(requestState !== undefined && { requestState }),
    ...(task && { task: { taskId: task.taskId, answered: task.answered } }),
  }
  return ask(questionOf(question, name, toHoldState(state)))
}
