/** Whose conversation it is: the first message, or whoever opened it, says so for good. */
import { HoldpointError } from '../failure.ts'
import type { Conversation } from '../turn/turn-state.ts'

/** Somebody may have begun it for another agent since it was asked for: the log alone knows. */
export function checkWhose(id: string, state: Conversation, agent: string): void {
  if (state.agent !== '' && state.agent !== agent) throw belongsTo(id, state.agent, agent)
}

export function belongsTo(id: string, agent: string, other: string): HoldpointError {
  return new Belongs(`Conversation "${id}" belongs to agent "${agent}", not "${other}".`)
}

/** Told apart by those who ask for a place whatever it is. */
export class Belongs extends HoldpointError {
  constructor(message: string) {
    super('config-invalid', message)
  }
}
