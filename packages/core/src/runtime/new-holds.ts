/** The holds that an append made, as an application is told of them. */
import type { LogEvent } from '../log/log-event.ts'
import type { Address } from '../log/store.ts'
import { openHolds } from '../loop/result.ts'
import { heldAt } from '../turn/hold.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { NewHold } from './runtime-options.ts'

/** Those that are still open: the append may be known to be written only after its holds were answered. */
export function newHolds(
  events: readonly LogEvent[],
  state: Conversation,
  { tenant, id: conversationId }: Address,
): readonly NewHold[] {
  if (!events.some(({ type }) => type === 'call.held')) return []
  const open = openHolds(state)
  return events.flatMap((event) => {
    if (event.type !== 'call.held') return []
    const { callId, hold: made } = event
    // The same call may be held again by now, which is another append's to tell.
    const hold = open.find((each) => each.callId === callId && heldAt(each) === heldAt(made) && each.kind === made.kind)
    return hold ? [{ tenant, conversationId, agent: state.agent, heldAt: heldAt(made), ...hold }] : []
  })
}
