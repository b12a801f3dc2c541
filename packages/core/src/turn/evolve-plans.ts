/** Folds events about plans. A plan that fires puts an item into the agent's queue. */
import { HoldpointError } from '../failure.ts'
import type { LogEvent } from '../log/log-event.ts'
import { firedItems } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import type { Conversation } from './turn-state.ts'

type PlanEvent = Extract<LogEvent, { readonly type: `plan.${string}` }>

export function evolvePlans(
  { plans, queue }: Conversation,
  event: PlanEvent,
): Partial<Pick<Conversation, 'plans' | 'queue'>> {
  switch (event.type) {
    case 'plan.set': {
      const { plan } = event
      return { plans: new Map(plans).set(plan.id, { ...plan, nextAt: nextAt(plan, plans.get(plan.id)) }) }
    }
    case 'plan.removed':
      return { plans: without(plans, event.planId) }
    case 'plan.fired': {
      const { planId, next } = event
      const plan = plans.get(planId)
      if (!plan)
        throw new HoldpointError(
          'history-impossible',
          `Event ${event.seq} (${event.type}) cannot have happened: there is no plan ${planId}. The log is damaged; restore it.`,
        )
      const left = next === undefined ? without(plans, planId) : new Map(plans).set(planId, { ...plan, nextAt: next })
      const fired = firedItems(event).map((item) => ({ seq: event.seq, item }))
      return { plans: left, queue: [...queue, ...fired] }
    }
  }
}

/**
 * The next due time of a plan that was set. It was computed before the append, and the old plan may have fired since. So if
 * the schedule is unchanged, the due time of the old plan stays: no time fires twice, and none is lost.
 */
function nextAt({ cron, nextAt: given }: Plan, before: Plan | undefined): number {
  const same = cron && before?.cron?.line === cron.line && before.cron.timeZone === cron.timeZone
  return same ? before.nextAt : given
}

function without(plans: Conversation['plans'], planId: string): Conversation['plans'] {
  const left = new Map(plans)
  left.delete(planId)
  return left
}
