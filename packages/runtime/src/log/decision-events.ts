/** The events of a decision: none when it is a refusal. */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { Decision } from '@holdpoint/core/internal/turn/decision'

export function eventsOfDecision(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** A decision together with the events that `Log.change` appends for it. */
export function withEvents(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: eventsOfDecision(decision), decision }
}
