/** Reminders and escalations of an open hold: approvers are reminded once, and after a time more of them are asked. */
import type { EventBody } from '../log/log-event.ts'
import { openHold } from './call.ts'
import { accept, refuse, type Decision } from './decision.ts'
import { findCall } from './find-call.ts'
import type { Conversation } from './turn-state.ts'

/** Any process may append these events: the first one in the log wins. */
export function decideRemindApprovers(state: Conversation, callId: string, now: number): Decision {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  if (!hold) return refuse('hold-not-open', `Call ${callId} is not held.`)
  const events: EventBody[] = []
  if (now >= (hold.remindAt ?? Infinity)) events.push({ type: 'hold.reminded', callId })
  if (hold.escalation && now >= hold.escalation.at)
    events.push({ type: 'hold.escalated', callId, to: hold.escalation.to })
  return events.length > 0 ? accept(...events) : refuse('not-due', `Nothing about call ${callId} is due.`)
}
