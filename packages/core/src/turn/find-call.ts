import type { Call, Conversation } from './turn-state.ts'

/** A call of the turn in progress, or an async one of an earlier turn that still waits. */
export function findCall(state: Conversation, callId: string): Call | undefined {
  const inTurn = state.turn.phase === 'calls' ? state.turn.calls.find((call) => call.callId === callId) : undefined
  return inTurn ?? state.waiting.get(callId)
}
