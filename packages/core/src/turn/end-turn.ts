/** Ends a turn from whatever state it is in: cancelled, superseded by a newer message, or expired with one of its holds. */
import type { EventBody } from '../log/log-event.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import { openCalls } from './turn.ts'
import type { Turn } from './turn-state.ts'

/** Each open call gets a result, because a vendor refuses a prompt that has a call without one. */
export function endTurn(
  turn: Exclude<Turn, { readonly phase: 'rest' }>,
  reason: 'cancelled' | 'superseded' | 'expired',
  message: string,
  expired?: { readonly callId: string; readonly outcome: CallOutcome },
): readonly EventBody[] {
  const others = failed(reason === 'superseded' ? 'superseded' : 'cancelled', message)
  const settled = openCalls(turn).map(({ callId }): EventBody => ({
    type: 'call.settled',
    callId,
    outcome: callId === expired?.callId ? expired.outcome : others,
  }))
  // With the last call settled, the turn is in phase `model`, from which it can end.
  return [...settled, { type: 'turn.ended', turnId: turn.turnId, reason, message }]
}
