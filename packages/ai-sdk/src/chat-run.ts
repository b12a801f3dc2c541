/**
 * An answer whose chunks the front end counts, as `WorkflowChatTransport` does. Its id goes out in a header, and comes back in the
 * path when the front end has lost the connection. It says all that cannot be seen in the log, and gives no right.
 */
import { randomUUID } from 'node:crypto'
import { parseJson } from '@holdpoint/core'
import { z } from 'zod'
import type { StreamTarget } from './turn-stream.ts'

export interface ChatRun {
  readonly conversationId: string
  readonly target: StreamTarget
  /** The number of the last step that the front end had before. */
  readonly known: number
  readonly nonce: string
}

const PREFIX = 'run.'
/** A conversation's id may have 200 characters, of four bytes each. */
export const MAX_CHAT_RUN_ID_LENGTH = 1600

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const shape = z.union([
  z.tuple([z.string().min(1).max(200), z.string().min(1).max(200), seq, z.string().max(40)]),
  z.tuple([z.string().min(1).max(200), seq, seq, z.string().max(40)]),
])

export function chatRunId(conversationId: string, target: StreamTarget, known: number): string {
  const about = 'turnId' in target ? target.turnId : target.after
  return PREFIX + Buffer.from(JSON.stringify([conversationId, about, known, randomUUID()])).toString('base64url')
}

export function parseChatRunId(id: string): ChatRun | undefined {
  if (!id.startsWith(PREFIX) || id.length > MAX_CHAT_RUN_ID_LENGTH) return undefined
  const read = parseJson(Buffer.from(id.slice(PREFIX.length), 'base64url').toString())
  const checked = read.ok ? shape.safeParse(read.value) : undefined
  if (!checked?.success) return undefined
  const [conversationId, about, known, nonce] = checked.data
  const target = typeof about === 'string' ? { turnId: about } : { after: about }
  return { conversationId, target, known, nonce }
}
