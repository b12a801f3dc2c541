import type { PendingHold } from '@holdpoint/client'
import { mayApprove, mayResolve } from '@holdpoint/ui'

/** The address of a hold. */
export interface At {
  readonly conversationId: string
  readonly callId: string
}

/** Includes the number of the hold: the same call may be held again after it was answered. */
export function keyOf({ conversationId, callId, nth }: PendingHold): string {
  return `${conversationId} ${callId} ${nth}`
}

export function isAt({ conversationId, callId }: PendingHold, at: At): boolean {
  return conversationId === at.conversationId && callId === at.callId
}

/** The reader may decide it: an approval that they gave already needs another person. */
export function isMine(hold: PendingHold): boolean {
  return hold.accepts.includes('approve') ? mayApprove(hold) : mayResolve(hold)
}
