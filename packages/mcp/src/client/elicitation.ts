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

/** Undefined when it is no question that a person could be asked. `plainHttp`: pages without encryption may be visited. */
export function readElicitation(params: unknown, plainHttp: boolean): ElicitRequest | undefined {
  if (!isObject(params)) return undefined
  const { mode = 'form', message, requestedSchema, url } = params
  // A message that is cut would be answered by somebody who has not seen it.
  if (typeof message !== 'string' || message.length > LONGEST) return undefined
  if (mode === 'url') {
    const page = webAddress(url, plainHttp)
    return page === undefined ? undefined : { mode: 'url', message, url: page }
  }
  if (mode !== 'form' || !isObject(requestedSchema)) return undefined
  return { mode: 'form', message, requestedSchema }
}

/**
 * As a browser would go there, so that people see where that is: letters that look like others are spelt out, and nothing
 * stands before the host. A link that is not to the web would be opened by something else.
 */
function webAddress(given: unknown, plainHttp: boolean): string | undefined {
  if (typeof given !== 'string' || given.length > 2000 || !URL.canParse(given)) return undefined
  const { protocol, username, password, href } = new URL(given)
  if (protocol !== 'https:' && !(plainHttp && protocol === 'http:')) return undefined
  return username === '' && password === '' ? href : undefined
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
  return { type: 'object', ...schema, additionalProperties: false }
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
