/** Whose conversation it is: the first message, or whoever opened it, says so for good. */
import { HoldpointError } from '../failure.ts'

export function belongsTo(id: string, agent: string, other: string): HoldpointError {
  return new HoldpointError('config-invalid', `Conversation "${id}" belongs to agent "${agent}", not "${other}".`)
}
