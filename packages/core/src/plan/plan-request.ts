/** A requested plan, validated, or refused in words that a model can act on. */
import { milliseconds, type Duration } from '../duration.ts'
import { messageOf } from '../failure.ts'
import type { Ports } from '../ports.ts'
import { timeOf } from '../time-text.ts'
import { dueTimes } from './due-times.ts'
import { noCron, type Missed, type Plan } from './plan.ts'

export interface PlanRequest {
  /** That of a plan that is there is changed; left out, it is a new one. */
  readonly id?: string
  readonly what: string
  /** One of these three. A time is an ISO date with its offset, or milliseconds since 1970. */
  readonly runAfter?: Duration
  readonly scheduledAt?: string | number
  readonly cron?: string
  /** Of the cron line. Default: UTC. */
  readonly timeZone?: string
  /** Default: `once`. */
  readonly missed?: Missed
}

export type PlanMade = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly why: string }

export const MOST_PLANS = 100
const LONGEST_WHAT = 4000
const LATEST = 8.64e15

export function makePlan(request: PlanRequest, ports: Ports): PlanMade {
  const { id = ports.id(), what, missed = 'once', timeZone = 'UTC' } = request
  if (typeof id !== 'string' || id === '' || id.length > 200) return no('"id" is text of 1 to 200 characters')
  if (typeof what !== 'string' || what.trim() === '' || what.length > LONGEST_WHAT)
    return no(`"what" says what to do, in 1 to ${LONGEST_WHAT} characters`)
  if (missed !== 'once' && missed !== 'all' && missed !== 'none') return no('"missed" is once, all or none')
  const ways = [request.runAfter, request.scheduledAt, request.cron].filter((way) => way !== undefined)
  if (ways.length !== 1) return no('say when with one of "runAfter", "scheduledAt" and "cron"')
  try {
    if (request.cron !== undefined) return cronPlan({ id, what, missed }, request.cron, timeZone, ports)
    const nextAt =
      request.runAfter === undefined ? scheduled(request.scheduledAt) : ports.now() + milliseconds(request.runAfter)
    if (!Number.isFinite(nextAt) || nextAt < 0 || nextAt > LATEST)
      return no('"scheduledAt" is a date like 2030-01-31T09:00:00Z')
    return { ok: true, plan: { id, what, missed, nextAt: Math.round(nextAt) } }
  } catch (error) {
    return no(messageOf(error))
  }
}

function cronPlan(
  plan: Pick<Plan, 'id' | 'what' | 'missed'>,
  line: unknown,
  timeZone: unknown,
  ports: Ports,
): PlanMade {
  const { now, nextTime, planEveryMs = 0 } = ports
  if (typeof line !== 'string' || line.length > 200) return no('"cron" is a line like "0 9 * * 1-5"')
  if (typeof timeZone !== 'string' || timeZone.length > 100) return no('"timeZone" is a name like "Europe/Paris"')
  if (!nextTime) throw noCron()
  const nextAt = dueTimes(ports)?.(line, timeZone, now())
  if (nextAt === undefined) return no(`the cron line "${line}" names no time to come`)
  const apart = planEveryMs > 0 ? closest(now(), (time) => nextTime(line, timeZone, time)) : Infinity
  if (apart < planEveryMs)
    return no(
      `the cron line "${line}" names times that are ${apart / 1000} s apart, and here they are at least ${planEveryMs / 1000} s apart`,
    )
  return { ok: true, plan: { ...plan, nextAt, cron: { line, timeZone } } }
}

/** Enough to see what a line does within an hour, or on a day of the week. */
const TIMES_LOOKED_AT = 24

function closest(now: number, next: (time: number) => number | undefined): number {
  let apart = Infinity
  let time = next(now)
  for (let nth = 0; nth < TIMES_LOOKED_AT && time !== undefined; nth++) {
    const following = next(time)
    apart = Math.min(apart, (following ?? Infinity) - time)
    time = following
  }
  return apart
}

function scheduled(at: unknown): number {
  if (typeof at === 'number') return at
  return typeof at === 'string' ? timeOf(at) : Number.NaN
}

function no(why: string): PlanMade {
  return { ok: false, why }
}
