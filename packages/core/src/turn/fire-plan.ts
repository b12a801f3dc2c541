/** A plan fires: its text goes into the agent's inbox. See `plan/plan-fires.ts` for which of its times do. */
import { askedFor } from '../log/message.ts'
import { planFires } from '../plan/plan-fires.ts'
import type { NextTime } from '../ports.ts'
import { accept, refuse, type Decision } from './decision.ts'
import type { Conversation } from './turn-state.ts'

/** Any process may append this event: the first one in the log wins. */
export function decideFire(state: Conversation, planId: string, now: number, nextTime: NextTime | undefined): Decision {
  const plan = state.plans.get(planId)
  if (!plan || now < plan.nextAt) return refuse('not-due', `Plan ${planId} is not due.`)
  const { due, missed, next } = planFires(plan, now, nextTime)
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
