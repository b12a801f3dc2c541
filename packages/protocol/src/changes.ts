/** Which conversations changed: a hint to look again, for lists. What changed is asked for where it is. */
import type { DecodedSse } from './sse-decoder.ts'
import { encodeSse } from './sse.ts'

/** Without a conversation: there were many, or some were missed. Look at everything again. */
export interface Change {
  readonly conversationId?: string
}

export function encodeChange(change: Change): string {
  return encodeSse({ event: 'changed', data: change })
}

/** Undefined for what is none of ours. Throws when the data is not JSON. */
export function decodeChange({ event, data }: DecodedSse): Change | undefined {
  if (event !== 'changed') return undefined
  const value: unknown = JSON.parse(data)
  const id = typeof value === 'object' && value !== null && 'conversationId' in value ? value.conversationId : undefined
  return typeof id === 'string' ? { conversationId: id } : {}
}
