/**
 * Holds a call whose handler asked a question (`ask`) or wants to run again later (`later`). The hold has everything that
 * the next run needs, so another process may run the call again, under the same id.
 */
import { isDuration, milliseconds } from '@holdpoint/core/internal/duration'
import { messageOf } from '@holdpoint/core/internal/failure'
import { isObject, type Json } from '@holdpoint/core/internal/json'
import { losslessJson } from '@holdpoint/core/internal/lossless-json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { CompileJsonSchema } from '@holdpoint/core/internal/ports'
import { Ask, LookLater, type Later, type Question } from '@holdpoint/core/internal/tool/handler-result'
import { failed, type FailedOutcome } from '@holdpoint/core/internal/tool/outcome'
import { toSchema } from '@holdpoint/core/internal/tool/schema'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Hold } from '@holdpoint/core/internal/turn/hold'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { Bound } from '../step/dispatch.ts'
import { authorsOfTurn, type TurnContext } from '../conversation/turn-context.ts'

export type Held = Extract<EventBody, { readonly type: 'call.held' }>

export function isUnfinished(value: unknown): value is Ask | LookLater {
  return value instanceof Ask || value instanceof LookLater
}

/** The event that holds the call, or what is wrong with what the handler returned. */
export function holdUnfinishedCall(
  call: Call,
  tool: Tool,
  returned: Ask | LookLater,
  bound: Bound,
  context: TurnContext,
): Held | FailedOutcome {
  const { ports } = context.agent
  const given = returned instanceof Ask ? returned.question : returned.later
  const json = losslessJson(given)
  const why = json.ok
    ? returned instanceof Ask
      ? wrongQuestion(json.value, ports.compileJsonSchema)
      : wrongLater(json.value)
    : json.why
  if (!json.ok || why !== undefined) return failed('invalid-output', `What the handler returned cannot be held: ${why}`)
  const shared = { ...bound, cause: 'asked', approvers: 1, askedBy: authorsOfTurn(context), late: 'reject' } as const
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

/** A question with a schema that cannot be compiled could never be answered. */
function wrongQuestion(given: Json, compile: CompileJsonSchema | undefined): string | undefined {
  const { prompt, schema, url } = isObject(given) ? given : {}
  if (typeof prompt !== 'string') return 'a question needs a "prompt".'
  if (url !== undefined && typeof url !== 'string') return 'the "url" of a question must be a string.'
  if (schema === undefined) return undefined
  if (!isObject(schema)) return 'the "schema" of a question must be a JSON Schema.'
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
  return typeof reason === 'string' ? undefined : 'the "reason" must be a string.'
}
