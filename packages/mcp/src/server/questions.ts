/**
 * Holds as questions that an MCP client can ask its user, and the answers as resolutions. An elicitation is passed on
 * unchanged. An approval is asked only of a caller who may approve. If the question cannot show everything that will run,
 * it is not asked, and the call waits for an approver elsewhere.
 */
import { isObject, type ViewHold, type Json, type JsonObject, type Resolution } from '@holdpoint/core'

export interface HoldQuestion {
  readonly key: string
  readonly hold: ViewHold
  readonly request: { readonly method: 'elicitation/create'; readonly params: JsonObject }
}

export interface ClientAbilities {
  readonly form: boolean
  readonly url: boolean
  /** Whether the caller may approve calls. */
  readonly resolves: boolean
}

/** Clients show a question as one message, so its length is limited. */
const MAX_LENGTH = 8000

const APPROVAL: JsonObject = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Approve' },
    reason: { type: 'string', title: 'Reason for rejecting' },
  },
  required: ['approve'],
}
const TEXT_ANSWER: JsonObject = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

export function questionsOf(holds: readonly ViewHold[], abilities: ClientAbilities): readonly HoldQuestion[] {
  return holds.flatMap((hold) => {
    const params = paramsOf(hold, abilities)
    if (!params) return []
    return [{ key: `${hold.callId}:${hold.nth}`, hold, request: { method: 'elicitation/create', params } } as const]
  })
}

function paramsOf(hold: ViewHold, { form, url, resolves }: ClientAbilities): JsonObject | undefined {
  const { kind, reason, name, input, answerSchema } = hold
  if (kind === 'approval') {
    // A question cannot show the difference between two definitions.
    if (!form || !resolves || hold.definitionBefore) return undefined
    const question = `May "${name}" run with ${JSON.stringify(input)}?${reason ? ` ${reason}` : ''}`
    const message = escapeInvisible(`${question}${runDetails(hold)}`)
    return message.length > MAX_LENGTH ? undefined : { mode: 'form', message, requestedSchema: APPROVAL }
  }
  if (kind !== 'elicitation') return undefined
  const message = escapeInvisible(reason ?? `"${name}" asks: ${JSON.stringify(input)}`)
  if (message.length > MAX_LENGTH) return undefined
  if (hold.url !== undefined)
    return url ? { mode: 'url', message, url: hold.url, elicitationId: hold.callId } : undefined
  if (!form) return undefined
  if (!answerSchema) return { mode: 'form', message, requestedSchema: TEXT_ANSWER }
  return isFlat(answerSchema) ? { mode: 'form', message, requestedSchema: formSchema(answerSchema) } : undefined
}

/** The same details as on an approval card. */
function runDetails({ definition }: ViewHold): string {
  if (!definition) return ''
  const { description, method = 'GET', url, server } = definition
  const sends = url === undefined ? '' : `\nIt sends ${method} ${url}`
  const at = server ? `\nIt runs on the MCP server "${server.name}" at ${server.at}` : ''
  return `${sends}${at}\nDescription of the tool: ${description}`
}

/** Escapes characters that are invisible or that reorder the text around them. */
function escapeInvisible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
}

/** The protocol allows only one level of plain fields in a form. */
function isFlat({ type, properties }: JsonObject): boolean {
  if (type !== 'object' || !isObject(properties)) return false
  return Object.values(properties).every((field) => {
    if (!isObject(field)) return false
    const kind = field['type']
    return kind === 'array' ? isObject(field['items']) && field['items']['type'] !== 'object' : kind !== 'object'
  })
}

function formSchema({ properties, required }: JsonObject): JsonObject {
  return { type: 'object', properties: properties ?? {}, ...(required !== undefined && { required }) }
}

/** The resolution for the client's response. Undefined when there is no response. */
export function resolutionOf({ hold }: HoldQuestion, response: unknown): Resolution | undefined {
  const { action, content } = isObject(response) ? response : {}
  if (action === 'decline') return { kind: 'reject' }
  if (action === 'cancel')
    return hold.resumes === 'answer' ? { kind: 'answer', error: 'cancelled' } : { kind: 'reject' }
  if (action !== 'accept') return undefined
  const given = isObject(content) ? content : {}
  if (hold.kind === 'approval') {
    const { approve, reason } = given
    if (approve === true) return { kind: 'approve' }
    return { kind: 'reject', ...(typeof reason === 'string' && reason !== '' && { reason }) }
  }
  if (hold.url !== undefined) return { kind: 'answer', value: true }
  const value: Json = hold.answerSchema ? given : (given['answer'] ?? null)
  return { kind: 'answer', value }
}
