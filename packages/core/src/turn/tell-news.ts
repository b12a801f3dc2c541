/**
 * News of a conversation for channels and webhooks: a hold opened, changed or closed, a turn ended. They are notices, so they
 * are in the log with the event that they are about, and a process that dies before it delivered them loses none. Only a
 * conversation whose turns say so (`tellsNews`) has news.
 */
import type { LogEvent } from '../log/log-event.ts'
import { withNotices, type News } from '../log/notice.ts'
import { isSpaceEvent } from '../log/space-event.ts'
import { openHold } from './call.ts'
import { findCall } from './find-call.ts'
import type { Call, Conversation } from './turn-state.ts'

export function tellNews(before: Conversation, after: Conversation, event: LogEvent): Conversation {
  if (!after.tellsNews) return after
  const news = [...holdNews(before, after, event), ...turnNews(before, after)]
  return withNotices(
    after,
    event,
    news.map((each) => ({ news: each, at: event.at })),
  )
}

function turnNews({ turn: before }: Conversation, { turn: after }: Conversation): readonly News[] {
  if (before.phase === 'rest' || after.phase !== 'rest' || !after.last) return []
  return [{ type: 'turn.ended', turnId: before.turnId, reason: after.last.reason }]
}

function holdNews(before: Conversation, after: Conversation, event: LogEvent): readonly News[] {
  if (isSpaceEvent(event) || !('callId' in event)) return []
  const { callId } = event
  const was = openHoldNumber(findCall(before, callId))
  const is = openHoldNumber(findCall(after, callId))
  if (was !== undefined && was === is) return [{ type: 'hold.changed', callId, hold: is }]
  return [
    ...(was === undefined ? [] : [{ type: 'hold.closed', callId, hold: was } as const]),
    ...(is === undefined ? [] : [{ type: 'hold.opened', callId, hold: is } as const]),
  ]
}

function openHoldNumber(call: Call | undefined): number | undefined {
  return call && openHold(call) ? call.holds : undefined
}
