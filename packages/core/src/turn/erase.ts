/**
 * Erases a conversation. A tombstone remains: that it was erased, when and by whom. It names none of its people and has
 * nothing of its content, and it refuses every later command.
 */
import { actorOf, type Principal } from '../principal.ts'
import { accept, refuse, type Decision } from './decision.ts'
import { next, openCalls } from './turn.ts'
import type { Conversation } from './turn-state.ts'

export interface Erase {
  readonly by: Principal | undefined
  readonly reason?: string
  readonly policy?: 'retention'
  /** Erase although a turn is in progress or a call is held. Otherwise that is refused. */
  readonly cancel: boolean
}

/** To erase again changes nothing. */
export function decideErase(state: Conversation, { by, reason, policy, cancel }: Erase): Decision {
  if (state.erased) return accept()
  if (by?.access === 'own' && state.people.owner !== by.id)
    return refuse('not-allowed', 'Only the owner of a conversation erases it.')
  const busy = cancel ? undefined : whyBusy(state)
  if (busy !== undefined)
    return refuse('turn-in-progress', `Not now: ${busy}. Cancel first, or erase with cancel: true.`)
  return accept({
    type: 'conversation.erased',
    agent: state.agent,
    ...(reason !== undefined && { reason }),
    ...(policy && { policy }),
    ...actorOf(by),
  })
}

/** A plan, a message that waits and a notice that is not delivered are work too. */
function whyBusy(state: Conversation): string | undefined {
  const { turn, waiting } = state
  const held = openCalls(turn).filter(({ at }) => at === 'held').length + waiting.size
  if (held > 0) return held === 1 ? '1 call is held' : `${held} calls are held`
  if (turn.phase !== 'rest') return 'a turn is in progress'
  return next(state).length > 0 ? 'it has work to do' : undefined
}
