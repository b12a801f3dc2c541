/**
 * What a held call wants of a person, as questions that an MCP client can ask them, and back. A question for a person is
 * asked as it is. Whether a call may run is asked only of those who may say so; for everybody else the call just waits.
 */
import { isObject, type ViewHold, type Json, type JsonObject, type Resolution } from '@holdpoint/core'

export interface Asked {
  readonly key: string
  readonly hold: ViewHold
  readonly request: { readonly method: 'elicitation/create'; readonly params: JsonObject }
}

export interface Able {
  readonly form: boolean
  readonly url: boolean
  /** The caller may say whether a call may run. */
  readonly resolves: boolean
}

const APPROVAL: JsonObject = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Let it run' },
    reason: { type: 'string', title: 'Why not' },
  },
  required: ['approve'],
}
const WORDS: JsonObject = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

export function questionsOf(holds: readonly ViewHold[], able: Able): readonly Asked[] {
  return holds.flatMap((hold) => {
    const params = paramsOf(hold, able)
    if (!params) return []
    return [{ key: `${hold.callId}:${hold.nth}`, hold, request: { method: 'elicitation/create', params } } as const]
  })
}

function paramsOf(hold: ViewHold, { form, url, resolves }: Able): JsonObject | undefined {
  const { kind, reason, name, input, answerSchema } = hold
  if (kind === 'approval') {
    if (!form || !resolves) return undefined
    const message = `May "${name}" run with ${JSON.stringify(input).slice(0, 2000)}?${reason ? ` ${reason}` : ''}`
    return { mode: 'form', message, requestedSchema: APPROVAL }
  }
  if (kind !== 'elicitation') return undefined
  const message = reason ?? `"${name}" asks: ${JSON.stringify(input).slice(0, 2000)}`
  if (hold.url !== undefined)
    return url ? { mode: 'url', message, url: hold.url, elicitationId: hold.callId } : undefined
  if (!form) return undefined
  if (!answerSchema) return { mode: 'form', message, requestedSchema: WORDS }
  return isFlat(answerSchema) ? { mode: 'form', message, requestedSchema: plain(answerSchema) } : undefined
}

/** All that a form of the protocol can be: one level of plain fields. */
function isFlat({ type, properties }: JsonObject): boolean {
  if (type !== 'object' || !isObject(properties)) return false
  return Object.values(properties).every((field) => {
    if (!isObject(field)) return false
    const kind = field['type']
    return kind === 'array' ? isObject(field['items']) && field['items']['type'] !== 'object' : kind !== 'object'
  })
}

function plain({ properties, required }: JsonObject): JsonObject {
  return { type: 'object', properties: properties ?? {}, ...(required !== undefined && { required }) }
}

/** What the client says its user said. */
export function resolutionOf({ hold }: Asked, response: unknown): Resolution | undefined {
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
