/**
 * An event with other ids for its turn and its calls. A copied conversation needs them: a worker answers a call by its id
 * alone, and a call that two conversations have could be sent twice under one id.
 */
import type { LogEvent } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'
import type { Reply } from '../model/reply.ts'
import { pendingValue, type CallOutcome } from '../tool/outcome.ts'

export interface NewIds {
  turn(turnId: string): string
  call(callId: string): string
}

export function renamed(event: LogEvent, ids: NewIds): LogEvent {
  const { type } = event
  if (type === 'turn.started')
    return { ...event, turnId: ids.turn(event.turnId), items: event.items.map((item) => renamedItem(item, ids)) }
  if (type === 'message.queued') return { ...event, item: renamedItem(event.item, ids) }
  if (type === 'model.replied') return renamedReply(event, ids)
  if (type === 'call.settled' || type === 'answer.arrived')
    return { ...event, callId: ids.call(event.callId), outcome: renamedOutcome(event, ids) }
  if ('turnId' in event) return { ...event, turnId: ids.turn(event.turnId) }
  return 'callId' in event ? { ...event, callId: ids.call(event.callId) } : event
}

function renamedReply(
  event: Extract<LogEvent, { readonly type: 'model.replied' }>,
  ids: NewIds,
): Extract<LogEvent, { readonly type: 'model.replied' }> {
  const { turnId, reply, spaces, display } = event
  const parts: Reply['parts'] = reply.parts.map((part) =>
    part.type === 'call' ? { ...part, callId: ids.call(part.callId) } : part,
  )
  const own = new Set(reply.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : [])))
  return {
    ...event,
    turnId: ids.turn(turnId),
    reply: { ...reply, parts },
    ...(spaces && {
      spaces: { ...spaces, calls: spaces.calls.map((each) => ({ ...each, callId: ids.call(each.callId) })) },
    }),
    // The others are calls of the model's vendor, with the vendor's ids.
    ...(display && {
      display: display.map((each) => (own.has(each.callId) ? { ...each, callId: ids.call(each.callId) } : each)),
    }),
  }
}

function renamedItem(item: Inbound, ids: NewIds): Inbound {
  return item.kind === 'answer' ? { ...item, callId: ids.call(item.callId) } : item
}

/** The model read the id of an async call. */
function renamedOutcome(
  { callId, outcome }: { readonly callId: string; readonly outcome: CallOutcome },
  ids: NewIds,
): CallOutcome {
  if (!outcome.ok || JSON.stringify(outcome.value) !== JSON.stringify(pendingValue(callId))) return outcome
  return { ok: true, value: pendingValue(ids.call(callId)) }
}
