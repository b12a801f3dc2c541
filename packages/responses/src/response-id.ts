/** Response ids name the conversation, so that the next request can continue it without a table of responses. */
const PREFIX = 'resp_'

export function responseId(conversationId: string, turnId: string): string {
  return PREFIX + Buffer.from(JSON.stringify([conversationId, turnId])).toString('base64url')
}

/** The conversation of a response. An id is no secret: who may use the conversation is checked as everywhere. */
export function conversationOf(id: string): string | undefined {
  if (!id.startsWith(PREFIX)) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString())
    return Array.isArray(read) && typeof read[0] === 'string' ? read[0] : undefined
  } catch {
    return undefined
  }
}
