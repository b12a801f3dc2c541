import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { callIn } from '@holdpoint/core/internal/turn/call'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'

/** The calls of earlier turns that the events are about. */
export function recalledIn(before: readonly LogEvent[], events: readonly LogEvent[]): readonly Call[] {
  const ids = new Set(events.flatMap((event) => ('callId' in event ? [event.callId] : [])))
  return [...ids].flatMap((id) => callIn(before, id) ?? [])
}
