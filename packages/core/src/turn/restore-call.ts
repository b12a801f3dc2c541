/** A call that was not settled when its store was backed up, after the backup was restored. */
import type { LogEvent } from '../log/log-event.ts'
import { heldAt, type Hold } from './hold.ts'
import type { Call } from './turn-state.ts'

const ASKED_AGAIN =
  'The store was restored from a backup. This may have been answered before, and the call may have run. Check first.'

/** A call that was never started looks like one that was interrupted: it may have been started after the backup. */
export function restoreCall(call: Call, event: Pick<LogEvent, 'seq' | 'at'>): Call {
  if (call.at === 'settled' && !call.open) return call
  if ('hold' in call && call.hold)
    return { ...call, seqs: [...call.seqs, event.seq], hold: askedAgain(call.hold, event.at) }
  return call.at === 'ready' ? { ...call, restored: true, at: 'running' } : { ...call, restored: true }
}

function askedAgain(hold: Hold, at: number): Hold {
  const later = at - heldAt(hold)
  const { reason, accepts, remindAt, escalation } = hold
  // A person who finds out that the call did its work enters the result.
  const answerable = hold.kind === 'approval' && !accepts.includes('answer')
  return {
    ...hold,
    reason: reason === undefined ? ASKED_AGAIN : reason.startsWith(ASKED_AGAIN) ? reason : `${ASKED_AGAIN} ${reason}`,
    accepts: answerable ? [...accepts, 'answer'] : accepts,
    expiresAt: hold.expiresAt + later,
    ...(remindAt !== undefined && { remindAt: remindAt + later }),
    ...(escalation && { escalation: { ...escalation, at: escalation.at + later } }),
  }
}
