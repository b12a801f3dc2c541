/**
 * The log of an autonomous agent: one conversation of its own, which lasts. The agent sleeps until an event is in its inbox
 * (the conversation's queue), wakes once for everything there, and works on it in one turn, a cycle.
 */
const PREFIX = 'agent:'

/** The id of the conversation that is an agent's own log. */
export function agentLogId(agent: string): string {
  return PREFIX + agent
}

/** The agent whose own log this is; undefined for any other conversation. */
export function agentOfLog(id: string): string | undefined {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined
}
