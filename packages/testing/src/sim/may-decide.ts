/**
 * Who may approve. It is computed here from the names and groups of the simulated people, without the code under test. Groups change
 * over time, and a delegation ends.
 */
import type { Hold, Principal } from '@holdpoint/core'

const PERIOD = 30_000

/** The person as authentication would report them at this time. */
export function principalAt(name: string, now: number): Principal {
  const first = Math.floor(now / PERIOD) % 2 === 0
  switch (name) {
    case 'ann':
      return { id: name, kind: 'person', groups: ['finance'] }
    // In finance half of the time.
    case 'bob':
      return { id: name, kind: 'person', groups: first ? ['finance', 'board'] : ['board'] }
    case 'cy':
      return { id: name, kind: 'person', groups: ['board'] }
    // Decides in the place of ann, half of the time. The delegation that this person presents may be over.
    default:
      return {
        id: name,
        kind: 'person',
        delegations: [
          { from: { id: 'ann', groups: ['finance'] }, until: (Math.floor(now / (PERIOD * 4)) * 4 + 2) * PERIOD },
        ],
      }
  }
}

/** The people who asked for the call. */
export function requestersOf({ askedBy = [] }: Hold): ReadonlySet<string> {
  return new Set(
    askedBy.flatMap(({ by, kind, requesters = [] }) => [
      ...(by === undefined || kind === 'agent' ? [] : [by]),
      ...(requesters === 'many' ? [] : requesters),
    ]),
  )
}

/** Whether the hold lets this person decide, `approve` or not, when these people and groups are asked. */
export function mayDecide(hold: Hold, to: Hold['to'], by: Principal, now: number, approves: boolean): boolean {
  const barred = approves && hold.notRequester ? requestersOf(hold) : new Set<string>()
  if (barred.has(by.id)) return false
  if (!to) return true
  const asked = ({ id, groups = [] }: Pick<Principal, 'id' | 'groups'>): boolean =>
    to.some((name) => name === id || groups.some((group) => name === `group:${group}`))
  const lends = ({ from, until }: NonNullable<Principal['delegations']>[number]): boolean =>
    until > now && asked(from) && !barred.has(from.id)
  return asked(by) || (by.delegations ?? []).some(lends)
}
