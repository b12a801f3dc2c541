/**
 * A handler that is not done: it asked a question, or it looks again later. The call becomes a hold that says
 * all there is to going on, so that the process may end and any other may run the call again, under the same id.
 */
import { isDuration, milliseconds } from '../duration.ts'
import { messageOf } from '../failure.ts'
import { isObject, type Json } from '../json.ts'
import { wholeJson } from '../lost-in-json.ts'
import type { EventBody } from '../log/log-event.ts'
import type { CompileJsonSchema } from '../ports.ts'
import { Ask, LookLater, type Later, type Question } from '../tool/handler-result.ts'
import { failed, type FailedOutcome } from '../tool/outcome.ts'
import { toSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { Hold } from '../turn/hold.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Bound } from './dispatch.ts'
import { askersOf, type TurnContext } from './turn-context.ts'

export type Held = Extract<EventBody, { readonly type: 'call.held' }>

export function isUnfinished(value: unknown): value is Ask | LookLater {
  return value instanceof Ask || value instanceof LookLater
}

/** The hold it becomes; or what is wrong with what the handler returned. */
export function unfinished(
  call: Call,
  tool: Tool,
  returned: Ask | LookLater,
  bound: Bound,
  context: TurnContext,
): Held | FailedOutcome {
  const { ports } = context.agent
  const given = returned instanceof Ask ? returned.question : returned.later
  const json = wholeJson(given)
  const why = json.ok
    ? returned instanceof Ask
      ? wrongQuestion(json.value, ports.compileJsonSchema)
      : wrongLater(json.value)
    : json.why
  if (!json.ok || why !== undefined) return failed('invalid-output', `What the handler returned cannot be held: ${why}`)
  const shared = { ...bound, cause: 'asked', approvers: 1, askedBy: askersOf(context), late: 'reject' } as const
  const made =
    returned instanceof Ask
      ? questionHold(json.value as unknown as Question, tool)
      : laterHold(json.value as unknown as Later)
  const { state } = json.value as { readonly state?: Json }
  const hold: Hold = { ...shared, ...made, expiresAt: ports.now() + made.timeoutMs }
  return { type: 'call.held', callId: call.callId, hold, ...(state !== undefined && { state }) }
}

type Made = Pick<Hold, 'kind' | 'accepts' | 'resumes' | 'timeoutMs' | 'onExpire'> & Partial<Hold>

function questionHold({ prompt, schema, url, metadata }: Question, tool: Tool): Made {
  return {
    kind: 'elicitation',
    reason: prompt,
    ...(metadata !== undefined && { metadata }),
    ...(schema && { answerSchema: schema }),
    ...(url !== undefined && { url }),
    accepts: ['answer', 'reject'],
    resumes: 'answer',
    timeoutMs: tool.approvalTimeoutMs,
    onExpire: tool.waiting.onExpire,
  }
}

function laterHold({ after, reason }: Later): Made {
  return {
    kind: 'external',
    ...(reason !== undefined && { reason }),
    accepts: ['answer'],
    resumes: 'deadline',
    timeoutMs: milliseconds(after),
    onExpire: 'error',
  }
}

/** A schema that cannot be checked would leave a question that cannot be answered. */
function wrongQuestion(given: Json, compile: CompileJsonSchema | undefined): string | undefined {
  const { prompt, schema, url } = isObject(given) ? given : {}
  if (typeof prompt !== 'string') return 'a question needs a "prompt".'
  if (url !== undefined && typeof url !== 'string') return 'the "url" of a question is text.'
  if (schema === undefined) return undefined
  if (!isObject(schema)) return 'the "schema" of a question is a JSON Schema.'
  try {
    toSchema(schema, 'The "schema" of the question', compile)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function wrongLater(given: Json): string | undefined {
  const { after, reason = '' } = isObject(given) ? given : {}
  if (!isDuration(after)) return '"after" must say how long, as in later({ after: \'30 s\' }).'
  return typeof reason === 'string' ? undefined : 'the "reason" is text.'
}
