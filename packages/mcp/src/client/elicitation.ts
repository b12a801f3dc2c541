/**
 * A server's question as a question of ours, and the answer as the server wants it. A form is a flat object; what was left
 * out of it has its default. For a page, the answer says only that the person went there.
 */
import { isObject, type Json, type JsonObject, type Question, type Resumption } from '@holdpoint/core'

/** `elicitation/create`, from whatever era. */
export interface ElicitRequest {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: JsonObject
  readonly url?: string
}

export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

const LONGEST = 10_000

/** Undefined when it is no question that a person could be asked. */
export function readElicitation(params: unknown): ElicitRequest | undefined {
  if (!isObject(params) || typeof params['message'] !== 'string') return undefined
  const { mode = 'form', requestedSchema, url } = params
  const message = params['message'].slice(0, LONGEST)
  if (mode === 'url') return isWebAddress(url) ? { mode: 'url', message, url } : undefined
  if (mode !== 'form' || !isObject(requestedSchema)) return undefined
  return { mode: 'form', message, requestedSchema }
}

/** Shown to people as it is: a link that is not to the web would be opened by something else. */
function isWebAddress(url: unknown): url is string {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return false
  return ['https:', 'http:'].includes(new URL(url).protocol)
}

export function questionOf(asked: ElicitRequest, server: string, state: Json): Question {
  const { message, url, requestedSchema } = asked
  const metadata = { from: server, mode: url === undefined ? 'form' : 'url' }
  return url === undefined
    ? { prompt: message, metadata, state, ...(requestedSchema && { schema: formOf(requestedSchema) }) }
    : { prompt: message, metadata, state, url }
}

/** Without what only a protocol needs, and closed: what was not asked for is not sent. */
function formOf({ $schema: _schema, ...schema }: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, ...schema }
}

export function answerTo(asked: ElicitRequest, answer: Resumption['answer']): ElicitAnswer {
  if (answer?.kind === 'reject') return { action: 'decline' }
  if (answer === undefined || 'error' in answer) return { action: 'cancel' }
  if (asked.url !== undefined) return { action: 'accept' }
  const content = isObject(answer.value) ? answer.value : {}
  return { action: 'accept', content: { ...defaultsOf(asked.requestedSchema), ...content } }
}

function defaultsOf(schema: JsonObject = {}): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, each]) => {
      const value = isObject(each) ? each['default'] : undefined
      return value === undefined ? [] : [[key, value]]
    }),
  )
}
