/** Which agent a conversation belongs to. Its first event says so for good. */
import { HoldpointError } from '../failure.ts'
import type { Conversation } from '../turn/turn-state.ts'

/** Checked on the state that is written to: another process may have begun the conversation for another agent. */
export function checkWhose(id: string, state: Conversation, agent: string): void {
  if (state.agent !== '' && state.agent !== agent) throw belongsTo(id, state.agent, agent)
}

export function belongsTo(id: string, agent: string, other: string): HoldpointError {
  return new HoldpointError('config-invalid', `Conversation "${id}" belongs to agent "${agent}", not "${other}".`)
}
