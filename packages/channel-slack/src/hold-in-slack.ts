/** The names of a hold as buttons and forms carry them. They give no right: the signature and the user do. */
import { isObject, parseJson } from '@holdpoint/core'
import type { ChannelDecision } from '@holdpoint/channels'

export interface HoldInSlack extends Omit<ChannelDecision, 'resolution'> {
  /** The form that a button opens: to edit the arguments, to answer, or to give a reason for a no. */
  readonly asks?: 'edit' | 'answer' | 'reason'
}

export function holdOf(text: unknown): HoldInSlack | undefined {
  const value = parseJson(typeof text === 'string' ? text : 'null')
  if (!value.ok || !isObject(value.value)) return undefined
  const { tenant, conversationId, callId, hold, asks } = value.value
  if (typeof tenant !== 'string' || typeof conversationId !== 'string' || typeof callId !== 'string') return undefined
  if (typeof hold !== 'number' || !Number.isSafeInteger(hold)) return undefined
  const known = asks === 'edit' || asks === 'answer' || asks === 'reason' ? asks : undefined
  if (asks !== undefined && known === undefined) return undefined
  return { tenant, conversationId, callId, hold, ...(known && { asks: known }) }
}
