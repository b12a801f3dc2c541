/** The holds that an append made, for `hp.on('held')`. */
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address } from '@holdpoint/core/internal/log/store'
import { heldCalls } from '../session/result.ts'
import { heldAt } from '@holdpoint/core/internal/turn/hold'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { pendingHold } from './pending-hold.ts'
import type { NewHold } from './runtime-options.ts'

/** Only holds that are still open: the result of the append may arrive after a hold was resolved. */
export function newHolds(
  events: readonly LogEvent[],
  state: Conversation,
  { tenant, id: conversationId }: Address,
): readonly NewHold[] {
  if (!events.some(({ type }) => type === 'call.held')) return []
  const open = heldCalls(state)
  return events.flatMap((event) => {
    if (event.type !== 'call.held') return []
    const { callId, hold: made } = event
    // The same call may be held again by now, which is another append's to tell.
    const held = open.find(
      ({ call, hold }) => call.callId === callId && heldAt(hold) === heldAt(made) && hold.kind === made.kind,
    )
    return held ? [{ tenant, ...pendingHold({ conversationId, agent: state.agent }, held) }] : []
  })
}
