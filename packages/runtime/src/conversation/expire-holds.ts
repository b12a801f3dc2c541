/** Expires the holds whose deadline has passed, and reminds the approvers of those that are still open. */
import type { Ports } from '@holdpoint/core/internal/ports'
import { decideRemindApprovers } from '@holdpoint/core/internal/turn/remind-approvers'
import { decideExpire } from '@holdpoint/core/internal/turn/expire-hold'
import { withEvents } from '../log/decision-events.ts'
import type { ConversationLog } from './conversation-log.ts'
import { openHolds } from '../session/result.ts'

export async function expireHolds(log: ConversationLog, { now }: Ports): Promise<void> {
  for (const { callId, expiresAt } of openHolds(log.state))
    if (now() >= expiresAt) await log.change((state) => withEvents(decideExpire(state, callId, now())))
}

export async function remindApprovers(log: ConversationLog, { now }: Ports): Promise<void> {
  for (const { callId, remindAt = Infinity, escalation } of openHolds(log.state))
    if (now() >= Math.min(remindAt, escalation?.at ?? Infinity))
      await log.change((state) => withEvents(decideRemindApprovers(state, callId, now())))
}
