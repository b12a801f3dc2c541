/**
 * Converts a server's question to one of ours, and the answer back. A form is a flat object, and missing fields get their
 * defaults. For a page to visit, the answer only says that the person went there.
 */
import { isObject, type Json, type JsonObject, type Question, type Resumption } from '@holdpoint/core'

/** The parameters of `elicitation/create` in either era. */
export interface ElicitRequest {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: JsonObject
  readonly url?: string
}

export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

const MAX_LENGTH = 10_000

/** Undefined if a person cannot be asked this. `plainHttp`: pages without encryption are allowed. */
export function readElicitation(params: unknown, plainHttp: boolean): ElicitRequest | undefined {
  if (!isObject(params)) return undefined
  const { mode = 'form', message, requestedSchema, url } = params
  // Refuse a long message instead of cutting it: a person must see all of what they answer.
  if (typeof message !== 'string' || message.length > MAX_LENGTH) return undefined
  if (mode === 'url') {
    const page = webAddress(url, plainHttp)
    return page === undefined ? undefined : { mode: 'url', message, url: page }
  }
  if (mode !== 'form' || !isObject(requestedSchema)) return undefined
  return { mode: 'form', message, requestedSchema }
}

/**
 * The address as a browser opens it, so that people see the real host: letters of the host outside ASCII are in
 * punycode, and no user name stands before the host. Another program would open a link that is not http or https.
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

/** Without protocol fields, and without additional properties: only requested fields are sent. */
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
