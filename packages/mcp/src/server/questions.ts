/**
 * What a held call wants of a person, as questions that an MCP client can ask them, and back. A question for a person is
 * asked as it is. Whether a call may run is asked only of those who may say so; for everybody else the call just waits. It
 * waits for them, too, when there is more to see than a question can show: nobody agrees to what they were not shown.
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

/** As long as a question may be; clients show it as a message. */
const LONGEST = 8000

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
    const message = plainly(`May "${name}" run with ${JSON.stringify(input)}?${reason ? ` ${reason}` : ''}`)
    return message.length > LONGEST ? undefined : { mode: 'form', message, requestedSchema: APPROVAL }
  }
  if (kind !== 'elicitation') return undefined
  const message = plainly(reason ?? `"${name}" asks: ${JSON.stringify(input)}`)
  if (message.length > LONGEST) return undefined
  if (hold.url !== undefined)
    return url ? { mode: 'url', message, url: hold.url, elicitationId: hold.callId } : undefined
  if (!form) return undefined
  if (!answerSchema) return { mode: 'form', message, requestedSchema: WORDS }
  return isFlat(answerSchema) ? { mode: 'form', message, requestedSchema: plain(answerSchema) } : undefined
}

/** What nobody would see, or what would make the rest look otherwise, is spelt out. */
function plainly(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
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
