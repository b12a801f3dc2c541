/** A plan fires: its text goes into the agent's inbox. See `plan/times-to-fire.ts` for which of its times do. */
import { askedFor } from '../log/message.ts'
import { timesToFire } from '../plan/times-to-fire.ts'
import type { NextTime } from '../ports.ts'
import { accept, refuse, type Decision } from './decision.ts'
import type { Conversation } from './turn-state.ts'

/** Any process may append this event: the first one in the log wins. */
export function decidePlanFire(
  state: Conversation,
  planId: string,
  now: number,
  nextTime: NextTime | undefined,
): Decision {
  const plan = state.plans.get(planId)
  if (!plan || now < plan.nextAt) return refuse('not-due', `Plan ${planId} is not due.`)
  const { due, missed, next } = timesToFire(plan, now, nextTime)
  const { what } = plan
  return accept({
    type: 'plan.fired',
    planId,
    what,
    due,
    missed,
    ...(next !== undefined && { next }),
    ...askedFor(plan),
  })
}
