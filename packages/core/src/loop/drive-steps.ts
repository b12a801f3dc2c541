/** Small steps of the driver that need nothing of it. */
import type { EventBody } from '../log/log-event.ts'
import type { Decision } from '../turn/decide.ts'
import type { Effect } from '../turn/turn-state.ts'
import type { LogAhead } from './log-view.ts'
import type { World } from './world.ts'

export function eventsOf(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** A call that somebody else started, or started again, is another piece of work than the one that was begun here. */
export function isSame(a: Effect | undefined, b: Effect): boolean {
  if (a?.key !== b.key) return false
  return !('call' in a && 'call' in b) || (a.do === b.do && a.call.attempt === b.call.attempt)
}

/**
 * Not where others have a part in what the model is told, or keep or show what it says: plugins, hooks, audits,
 * summaries and those who watch meet nothing but what is written.
 */
export function mayLookAhead({ agent, watched }: World): boolean {
  const { ports, plugins, hooks, audit, stopWhen, context, life } = agent
  const { beforeMessage, beforeCall, afterMessage, onStream } = hooks
  const others = [plugins, beforeMessage, beforeCall, afterMessage, onStream]
  if (!ports.soon || others.some(({ length }) => length > 0)) return false
  return !audit && !stopWhen && !context.summarize && !life && !watched()
}

/** Whoever comes to watch in the middle is shown nothing of what may come to nothing. */
export function unseen(world: World, log: LogAhead): World {
  return {
    ...world,
    log,
    watched: () => log.landed && world.watched(),
    emit: (frame) => {
      if (log.landed) world.emit(frame)
    },
  }
}
