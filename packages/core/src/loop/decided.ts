/** The events of a decision: none when it is a refusal. */
import type { EventBody } from '../log/log-event.ts'
import type { Decision } from '../turn/decide.ts'

export function eventsOf(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** A decision together with the events that `Log.change` appends for it. */
export function decided(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: eventsOf(decision), decision }
}
