/** What a server wants to know before it goes on: read, and asked one question after the other. */
import { ask, isObject, later, show, toolError, type HandlerResult, type Json } from '@holdpoint/core'
import { kept, type CallState, type TaskSoFar } from './call-state.ts'
import { questionOf, readElicitation, type ElicitRequest } from './elicitation.ts'
import { LIMITS } from './limits.ts'
import type { ServerInUse } from './server-in-use.ts'

export interface InputRequired {
  readonly inputRequests?: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

/** `asked` is how many questions the call has had before. */
export function askFor(
  { name, plainHttp }: ServerInUse,
  { inputRequests = {}, requestState }: InputRequired,
  asked: number,
  task?: TaskSoFar,
): Awaited<HandlerResult<Json>> {
  const questions: [string, ElicitRequest][] = []
  for (const [key, request] of Object.entries(inputRequests)) {
    if (task?.answered.includes(key)) continue
    const { method, params } = isObject(request) ? request : {}
    const read = method === 'elicitation/create' ? readElicitation(params, plainHttp) : undefined
    if (!read) return toolError(`The MCP server "${name}" asks for what is not given here: ${show(method)}`)
    questions.push([key, read])
  }
  const rounds = asked + Math.max(questions.length, 1)
  if (rounds > LIMITS.questions) return toolError(`The MCP server "${name}" asks without end.`)
  const [first] = questions
  if (!first) {
    if (requestState === undefined) return toolError(`The MCP server "${name}" asks for nothing.`)
    return later({ after: 1000 * 2 ** Math.min(asked, 6), state: kept({ at: 'again', requestState, rounds }) })
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
  return ask(questionOf(question, name, kept(state)))
}
