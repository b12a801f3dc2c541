/** The agent that a conversation belongs to. Its first event says which, and that never changes. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'

/** Called on the state that is written to: another process may have started the conversation for another agent. */
export function checkConversationAgent(id: string, state: Conversation, agent: string): void {
  if (state.agent !== '' && state.agent !== agent) throw otherAgentOwns(id, state.agent, agent)
}

export function otherAgentOwns(id: string, agent: string, other: string): HoldpointError {
  return new HoldpointError('config-invalid', `Conversation "${id}" belongs to agent "${agent}", not "${other}".`)
}
