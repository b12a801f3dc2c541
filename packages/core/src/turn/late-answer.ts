/**
 * An answer to a call that ended without one: the deadline passed, or the turn was cancelled or superseded. A hold with
 * `late: 'inbox'` accepts it, and the agent gets it as a new message; any other answer gets an accurate verdict.
 */
import type { EventBody } from '../log/log-event.ts'
import { askedFor } from '../log/message.ts'
import { deciderOf } from '../principal.ts'
import { mayResolve } from './approvers.ts'
import { howShown } from './call.ts'
import type { Hold } from './hold.ts'
import { answerOutcome } from './answer-outcome.ts'
import type { Resolve } from './resolve.ts'
import type { Call } from './turn-state.ts'
import { accepted, notAccepted, type ResolveDecision } from './verdict.ts'

/** The verdict; undefined when the call was settled by an answer. */
export function resolveLate(
  call: Extract<Call, { at: 'settled' }>,
  { resolution, by, callId, now, hold = call.holds }: Resolve,
): ResolveDecision | undefined {
  const code = droppedWith(call)
  if (code) return notAccepted('stale', `Call ${callId} was ${code} before this answer came.`)
  if (!call.hold) return undefined
  if (takesLateAnswer(call.hold) && resolution.kind === 'answer' && hold === call.holds) {
    const may = mayResolve([call.hold.to], { by, now })
    if (!may.ok) return notAccepted('not-allowed', `Call ${callId} ${may.why}`)
    const arrived: EventBody = {
      type: 'answer.arrived',
      callId,
      name: call.name,
      outcome: answerOutcome(resolution),
      resolution,
      ...deciderOf(by, may.onBehalfOf),
      ...howShown(call),
      ...askedFor(call.hold),
    }
    return { ...accepted(arrived), message: 'Accepted after the deadline: the agent gets it as a new message.' }
  }
  return notAccepted('expired', `Call ${callId} expired before this answer came.`)
}

/** Why the call ended with its turn; undefined when it did not. */
export function droppedWith({ outcome }: Extract<Call, { at: 'settled' }>): 'cancelled' | 'superseded' | undefined {
  const code = outcome.ok ? undefined : outcome.error.code
  return code === 'cancelled' || code === 'superseded' ? code : undefined
}

export function takesLateAnswer({ late, accepts }: Hold): boolean {
  return late === 'inbox' && accepts.includes('answer')
}
