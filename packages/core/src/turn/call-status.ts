/** Whether a call still waits for an answer, as callers see it. */
import { droppedWith, takesLateAnswer } from './late-answer.ts'
import type { Call } from './turn-state.ts'

/**
 * `waiting`: the turn waits for the call. `pending`: the turn went on without the call, and an answer still reaches the
 * agent. `resolved`: an answer changes nothing any more.
 */
export type CallStatus = 'waiting' | 'pending' | 'resolved'

export function callStatus(call: Call): CallStatus {
  if (call.at !== 'settled') return 'waiting'
  return call.open || (call.hold && !droppedWith(call) && takesLateAnswer(call.hold)) ? 'pending' : 'resolved'
}
