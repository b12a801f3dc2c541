/** The grace of a client call: it fails when no client that can run it has been connected for that long. */
import { openHold } from './call.ts'
import { refuse, type Decision } from './decision.ts'
import { endWithoutAnswer, inWords } from './expire-hold.ts'
import { findCall } from './find-call.ts'
import { graceEnds } from './hold.ts'
import type { Conversation } from './turn-state.ts'

/** `seenAt`: when such a client was last connected. */
export function decideClientGrace(state: Conversation, callId: string, now: number, seenAt: number): Decision {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  if (!call || !hold) return refuse('hold-not-open', `Call ${callId} is not held.`)
  const { graceMs = 0 } = hold
  if (now < (graceEnds(hold, seenAt) ?? Infinity)) return refuse('not-due', `Call ${callId} may wait for its client.`)
  return endWithoutAnswer(
    state,
    call,
    hold,
    'no-client',
    `No client that can run ${call.name} was connected for ${inWords(graceMs)}.`,
  )
}
