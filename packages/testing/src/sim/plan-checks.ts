/** Checks plans: each due time fires once and not early, and missed times follow the policy of the plan. */
import type { LogEvent, Plan } from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { Scheduler } from './scheduler.ts'
import type { Judge } from './violation.ts'

/** Later than this, a due time was missed. */
const MISSED_AFTER_MS = 60_000

interface Known {
  readonly plan: Plan
  /** The newest due time that fired, or was skipped, since the plan was set. */
  last: number
  /** The plan was set after it last fired. */
  set: boolean
}

export class PlanChecks {
  readonly #judge: Judge
  readonly #scheduler: Scheduler
  readonly #plans = new Map<string, Known>()
  /** By plan: the newest due time of its cron line that fired, however often it was changed in between. */
  readonly #newest = new Map<string, number>()

  constructor(judge: Judge, scheduler: Scheduler) {
    this.#judge = judge
    this.#scheduler = scheduler
  }

  follow({ id }: ConversationRecord, events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.type === 'plan.set') this.#set(`${id} ${event.plan.id}`, event.plan)
      if (event.type === 'plan.removed') this.#over(`${id} ${event.planId}`)
      if (event.type === 'plan.fired') this.#fired(id, event)
    }
  }

  /** A plan with a changed schedule counts as a new plan. */
  #set(which: string, plan: Plan): void {
    if (this.#plans.get(which)?.plan.cron?.line !== plan.cron?.line) this.#over(which)
    this.#plans.set(which, { plan, last: 0, set: true })
  }

  #over(which: string): void {
    this.#plans.delete(which)
    this.#newest.delete(which)
  }

  #fired(log: string, event: Extract<LogEvent, { type: 'plan.fired' }>): void {
    const { planId, due, missed, next } = event
    const which = `${log} ${planId}`
    const known = this.#plans.get(which)
    const say = (what: string) => (): string => `${which} for ${due.join()}, then ${next}: ${what}`
    if (!this.#judge.require(known !== undefined, 'plan-fires-once', say('there is no such plan'))) return
    const { plan } = known!
    const early = due.some((time) => time > this.#scheduler.now)
    this.#judge.require(!early, 'plan-fires-once', say('it is not due yet'))
    const every = plan.cron ? Number(plan.cron.line) * 1000 : 0
    const onTime = every > 0 ? due.every((time) => time % every === 0) : due.every((time) => time === plan.nextAt)
    this.#judge.require(onTime, 'plan-fires-once', say('that is not one of its times'))
    if (every > 0) {
      const again = due.some((time, n) => time <= (due[n - 1] ?? this.#newest.get(which) ?? 0))
      this.#judge.require(!again, 'plan-fires-once', say('it fired for that before'))
      this.#newest.set(which, Math.max(this.#newest.get(which) ?? 0, ...due))
    }
    this.#checkMissed(known!, event, every, say)
    if (next === undefined) this.#over(which)
    else Object.assign(known!, { last: next - every, set: false })
    this.#judge.require(every === 0 || next !== undefined, 'plan-fires-once', say('it must not end'))
    this.#judge.require(missed >= 0, 'plan-missed', say(`${missed} missed`))
  }

  #checkMissed(
    { plan, last, set }: Known,
    { due, at, next }: Extract<LogEvent, { type: 'plan.fired' }>,
    every: number,
    say: (what: string) => () => string,
  ): void {
    switch (plan.missed) {
      case 'once':
        return void this.#judge.require(due.length === 1, 'plan-missed', say('the plan says "once"'))
      case 'none': {
        const late = due.some((time) => at - time > MISSED_AFTER_MS)
        this.#judge.require(due.length <= 1 && !late, 'plan-missed', say('the plan says "none"'))
        return
      }
      case 'all': {
        const gaps = due.some((time, n) => time !== (due[n - 1] ?? (set ? time - every : last)) + every)
        const whole = due.length > 0 && !gaps && (every === 0 || next === (due.at(-1) ?? 0) + every)
        this.#judge.require(whole, 'plan-missed', say(`the plan says "all", from ${last} on`))
      }
    }
  }
}
