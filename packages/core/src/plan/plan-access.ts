/** An agent's plans in the hands of a tool. What it changes is written together with its outcome, or not at all. */
import type { EventBody } from '../log/log-event.ts'
import type { Author } from '../log/message.ts'
import type { Ports } from '../ports.ts'
import type { Plan } from './plan.ts'
import { makePlan, MOST_PLANS, type PlanMade, type PlanRequest } from './plan-request.ts'

export interface PlanAccess {
  list(): readonly Plan[]
  /** Says why not, where something is wrong with it. */
  set(request: PlanRequest): PlanMade
  /** Whether there was one. */
  remove(id: string): boolean
}

/** `write` takes the events that make it true. `askedBy`: the authors of what the turn is about. */
export function planAccess(
  stored: ReadonlyMap<string, Plan>,
  ports: Ports,
  write: (event: EventBody) => void,
  askedBy?: readonly Author[],
): PlanAccess {
  // Most tools never look at plans: a copy is made for the first that changes one.
  let own: Map<string, Plan> | undefined
  const changed = (): Map<string, Plan> => (own ??= new Map(stored))
  return {
    list: () => [...(own ?? stored).values()].toSorted((a, b) => a.nextAt - b.nextAt),
    set: (request) => {
      const made = makePlan(request, ports)
      if (!made.ok) return made
      const plan: Plan = askedBy ? { ...made.plan, askedBy } : made.plan
      const plans = changed()
      if (!plans.has(plan.id) && plans.size >= MOST_PLANS)
        return { ok: false, why: `there are ${MOST_PLANS} plans already; delete one first` }
      const refused = plans.has(plan.id) ? undefined : ports.admitPlan?.()
      if (refused !== undefined) return { ok: false, why: refused }
      plans.set(plan.id, plan)
      write({ type: 'plan.set', plan })
      return { ok: true, plan }
    },
    remove: (id) => {
      const there = changed().delete(id)
      if (there) write({ type: 'plan.removed', planId: id })
      return there
    },
  }
}
