/** What comes into a conversation from outside: a person's words, or an answer that arrived after its turn had gone on. */
import type { FileData } from '../model/model.ts'
import type { CallOutcome } from '../tool/outcome.ts'

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly file: FileData; readonly filename?: string }

export interface UserMessage {
  readonly parts: readonly UserPart[]
  /** Who said it, where that matters. */
  readonly by?: string
}

/** One thing a turn is about. A turn may take several at once, when they waited together. */
export type Inbound =
  | { readonly kind: 'message'; readonly message: UserMessage }
  | { readonly kind: 'answer'; readonly callId: string; readonly name: string; readonly outcome: CallOutcome }

export function userMessage(content: string | readonly UserPart[], by?: string): UserMessage {
  const parts: readonly UserPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return by === undefined ? { parts } : { parts, by }
}
