/** How a hold ended, and by whom, as its log says. */
import type { LogEvent } from 'holdpoint'

export interface HoldEnd {
  readonly how: 'approved' | 'rejected' | 'answered' | 'failed' | 'expired' | 'cancelled' | 'erased'
  readonly by?: string
  /** The person in whose place `by` decided. */
  readonly onBehalfOf?: string
  readonly reason?: string
  /** The input was changed with the approval. */
  readonly edited?: true
  readonly at?: number
}

/** `events` are those of one call. Undefined while its hold with this number is open. */
export function holdEnd(events: readonly LogEvent[], hold: number): HoldEnd | undefined {
  if (events.length === 0) return { how: 'erased' }
  let holds = 0
  let async = false
  for (const event of events) {
    if (event.type === 'call.held') {
      holds++
      async = event.hold.async === true
      // The next hold of the call: no event said how the one before ended.
      if (holds > hold) return { how: 'cancelled', at: event.at }
      continue
    }
    if (holds !== hold) continue
    const end = endBy(event, async)
    if (end) return { ...end, at: event.at }
  }
  return holds < hold ? { how: 'erased' } : undefined
}

function endBy(event: LogEvent, async: boolean): HoldEnd | undefined {
  if (!isEnd(event)) return undefined
  const { by, onBehalfOf, resolution } = event
  const who = { ...(by !== undefined && { by }), ...(onBehalfOf !== undefined && { onBehalfOf }) }
  if (!resolution) {
    if (event.type === 'call.resumed' || event.type === 'call.approved') return { how: 'expired', ...who }
    const { outcome } = event
    // The result "pending" of an async call: its hold stays open. Any other result without an answer is that of the deadline.
    if (outcome.ok) return async && event.type === 'call.settled' ? undefined : { how: 'expired', ...who }
    const { code } = outcome.error
    if (code === 'rejected') return { how: 'rejected', ...who }
    return { how: code === 'expired' ? 'expired' : 'cancelled', ...who }
  }
  switch (resolution.kind) {
    case 'approve':
      return { how: 'approved', ...who, ...(resolution.input !== undefined && { edited: true as const }) }
    case 'reject':
      return { how: 'rejected', ...who, ...(resolution.reason !== undefined && { reason: resolution.reason }) }
    case 'answer':
      return { how: 'error' in resolution ? 'failed' : 'answered', ...who }
  }
}

type End = Extract<LogEvent, { readonly type: 'call.approved' | 'call.resumed' | 'call.settled' | 'answer.arrived' }>

function isEnd(event: LogEvent): event is End {
  const { type } = event
  return type === 'call.approved' || type === 'call.resumed' || type === 'call.settled' || type === 'answer.arrived'
}
