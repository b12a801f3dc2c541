/** A copy of a hold's message, by its hold, person and channel, and what is stored about it. */
import type { Json } from 'holdpoint'
import type { CopyFacts, HoldOf } from './hold-message.ts'

export interface CopyOf extends HoldOf {
  readonly person: string
  readonly channel: string
}

/** What was shown. It has no content of the conversation. */
export interface Copy extends CopyFacts {
  readonly ref: Json
  /** The message that the person has now, to show no version twice. */
  readonly shown: string
  readonly over?: true
  /** The hold is told of in a digest, at this time. */
  readonly digest?: number
}

/** After its hold is over, a copy is kept for a news item that comes twice. */
export const KEPT_MS: number = 7 * 86_400_000
/** A copy of an open hold is looked at again without news: an erased log tells none. */
export const RECHECK_MS = 900_000

export function copyPrefix({ conversationId, callId, hold }: HoldOf): string {
  return `${encodeURIComponent(conversationId)}/${encodeURIComponent(callId)}/${hold}/`
}

export function copyId(copy: CopyOf): string {
  return `${copyPrefix(copy)}${encodeURIComponent(copy.person)}/${encodeURIComponent(copy.channel)}`
}
