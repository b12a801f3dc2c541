/**
 * The end of a hold without an answer. Any process may append it: of an answer and an expiry, the first event in the log
 * wins. The hold itself says what follows (`onExpire`), so a changed tool declaration changes no hold that is open.
 */
import { askedFor } from '../log/message.ts'
import { failed, timedOut, type CallOutcome } from '../tool/outcome.ts'
import { howShown, openHold } from './call.ts'
import { accept, refuse, type Decision } from './decision.ts'
import { endTurn } from './end-turn.ts'
import { findCall } from './find-call.ts'
import type { Hold } from './hold.ts'
import type { Call, Conversation } from './turn-state.ts'

export function decideExpire(state: Conversation, callId: string, now: number): Decision {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  if (!call || !hold) return refuse('hold-not-open', `Call ${callId} is not held.`)
  if (now < hold.expiresAt) return refuse('not-due', `Call ${callId} waits until ${hold.expiresAt}.`)
  if (hold.resumes === 'deadline') return accept({ type: 'call.resumed', callId })
  return endWithoutAnswer(state, call, hold, 'expired', noAnswer(hold))
}

/** Settles a call whose hold ends without an answer: by its deadline, or because no client is connected. */
export function endWithoutAnswer(
  state: Conversation,
  call: Call,
  hold: Hold,
  code: 'expired' | 'no-client',
  why: string,
): Decision {
  const { callId, name } = call
  const outcome = outcomeOf(hold, code, why)
  if (call.at === 'settled')
    return accept({ type: 'answer.arrived', callId, name, outcome, ...howShown(call), ...askedFor(hold) })
  if (hold.onExpire === 'cancel' && state.turn.phase === 'calls')
    return accept(...endTurn(state.turn, 'expired', why, { callId, outcome }))
  return accept({ type: 'call.settled', callId, outcome })
}

function outcomeOf({ onExpire }: Hold, code: 'expired' | 'no-client', why: string): CallOutcome {
  if (typeof onExpire === 'object') return { ok: true, value: onExpire.answer }
  return failed(onExpire === 'reject' ? 'rejected' : code, why)
}

/** A call that kept the model waiting timed out. In any other case, a person or a service did not answer. */
function noAnswer({ kind, cause, async, timeoutMs }: Hold): string {
  const waits = (kind === 'external' || kind === 'client') && cause === 'tool' && !async
  return waits ? timedOut(timeoutMs) : `No answer in ${inWords(timeoutMs)}.`
}

export function inWords(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ] as const
  const [size, unit] = units.find(([each]) => ms >= each) ?? ([1, 'ms'] as const)
  return `${Math.round((ms / size) * 10) / 10} ${unit}`
}
