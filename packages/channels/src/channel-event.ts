/** Events for webhooks and for handlers in the program: ids and facts, no content. */
import type { LogEvent, Store } from 'holdpoint'
import type { NewsItem } from '@holdpoint/runtime'
import { holdEnd, type HoldEnd } from './hold-end.ts'

export type EventType = NewsItem['news']['type']

export const EVENT_TYPES: readonly EventType[] = ['hold.opened', 'hold.changed', 'hold.closed', 'turn.ended']

export interface ChannelEvent {
  readonly type: EventType
  /** When it happened, ISO 8601. */
  readonly timestamp: string
  readonly data: HoldEventData | TurnEventData
}

export interface HoldEventData {
  readonly tenant: string
  readonly conversationId: string
  readonly callId: string
  readonly hold: number
  /** Missing after an erasure, as is `kind`. */
  readonly tool?: string
  readonly kind?: string
  readonly expiresAt?: number
  /** How the hold ended, without the reason that was given. Only in `hold.closed`. */
  readonly end?: Omit<HoldEnd, 'reason'>
}

export interface TurnEventData {
  readonly tenant: string
  readonly conversationId: string
  readonly turnId: string
  readonly reason: string
}

export async function channelEvent(
  store: Pick<Store, 'readCall'>,
  { tenant, conversationId, at, news }: NewsItem,
): Promise<ChannelEvent> {
  const base = { type: news.type, timestamp: new Date(at).toISOString() }
  if (news.type === 'turn.ended')
    return { ...base, data: { tenant, conversationId, turnId: news.turnId, reason: news.reason } }
  const { callId, hold } = news
  const events = await store.readCall({ tenant, id: conversationId }, callId)
  const { reason: _reason, ...end } = holdEnd(events, hold) ?? { how: 'cancelled' as const }
  return {
    ...base,
    data: {
      tenant,
      conversationId,
      callId,
      hold,
      ...factsOf(events, callId, hold),
      ...(news.type === 'hold.closed' && { end }),
    },
  }
}

function factsOf(
  events: readonly LogEvent[],
  callId: string,
  hold: number,
): Pick<HoldEventData, 'tool' | 'kind' | 'expiresAt'> {
  const made = events.filter((event) => event.type === 'call.held')[hold - 1]
  const reply = events.find((event) => event.type === 'model.replied')
  const part = reply?.reply.parts.find((each) => each.type === 'call' && each.callId === callId)
  return {
    ...(part?.type === 'call' && { tool: part.name }),
    ...(made && { kind: made.hold.kind, expiresAt: made.hold.expiresAt }),
  }
}
