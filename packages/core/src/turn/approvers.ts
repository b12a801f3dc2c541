/**
 * Who may resolve a hold. A look-alike name must neither gain a right nor count as a second person: a right needs the
 * exact id, and two people must differ by more than spelling.
 */
import { isNamedIn, type Principal } from '../principal.ts'
import { requestersOf, type Author } from '../log/message.ts'
import { isLookAlikeName } from '../look-alike-name.ts'
import { milliseconds } from '../duration.ts'
import type { ApprovalRequest, Approvers } from '../tool/tool-options.ts'
import type { Hold } from './hold.ts'

/** Who may approve a hold. */
export interface ApproverRule {
  /** How many different people must approve. */
  readonly approvers: number
  /** People and groups that may resolve: `ada`, `group:finance`. Without it, each caller that the application admits. */
  readonly to?: readonly string[]
  /** The people who asked for the call may not approve it. */
  readonly notRequester?: true
}

/** When approvers are reminded, and when the hold is escalated. */
export type Route = Pick<Hold, 'remindAt' | 'escalation'>

/** The rule of an approval request, for a call of a turn with these authors. */
export function approverRule({ approvers = 1 }: ApprovalRequest, askedBy: readonly Author[]): ApproverRule {
  const rule: Approvers = typeof approvers === 'number' ? { count: approvers } : approvers
  const { anyOf, count = 1, notRequester } = rule
  // An author without a name cannot be excluded: only an explicit rule refuses every approval of such a call.
  const excludes = notRequester ?? (count > 1 && requestersOf(askedBy).length > 0)
  return { approvers: count, ...(anyOf && { to: anyOf }), ...(excludes && { notRequester: true }) }
}

export function routeOf({ remindAfter, escalate }: ApprovalRequest, now: number): Route {
  return {
    ...(remindAfter !== undefined && { remindAt: now + milliseconds(remindAfter) }),
    ...(escalate && { escalation: { at: now + milliseconds(escalate.after), to: escalate.to } }),
  }
}

export type MayResolve =
  /** `onBehalfOf`: by delegation from this person. */
  | { readonly ok: true; readonly onBehalfOf?: string }
  | {
      readonly ok: false
      readonly because: 'no-name' | 'requester' | 'requester-unknown' | 'not-named' | 'no-person'
      readonly why: string
    }

const NO_NAME: MayResolve = { ok: false, because: 'no-name', why: 'needs a name: say who approves with "by".' }

export interface Candidate {
  readonly by: Principal | undefined
  readonly now: number
  readonly askedBy: readonly Author[]
}

/** Whether this principal may approve, directly or in the place of a person who delegated to it. */
export function mayApprove(rules: readonly ApproverRule[], candidate: Candidate): MayResolve {
  const { by, askedBy } = candidate
  const excludes = rules.some(({ notRequester }) => notRequester)
  if (!by) return rules.every(isOpen) ? { ok: true } : NO_NAME
  const requesters = excludes ? requestersOf(askedBy) : []
  if (excludes && (requesters === 'many' || requesters.length === 0))
    return {
      ok: false,
      because: 'requester-unknown',
      why: 'excludes the requester, and the log does not say who that is.',
    }
  const asked = (id: string): boolean => requesters !== 'many' && requesters.some((name) => isLookAlikeName(name, id))
  if (asked(by.id))
    return { ok: false, because: 'requester', why: `was asked for by ${by.id}, who may not approve it.` }
  const may = mayResolve(
    rules.map(({ to }) => to),
    candidate,
    asked,
  )
  // Two keys of one program, or two programs of one team, must not be two approvers.
  if (may.ok && by.kind !== 'person' && !rules.every((rule) => countsPrograms(rule, by)))
    return {
      ok: false,
      because: 'no-person',
      why: `needs people: ${by.id} is no person, and the tool does not name it.`,
    }
  return may
}

/** Whether one of these lists leaves the principal out. `barred` says which people may not be acted for. */
export function mayResolve(
  lists: readonly (readonly string[] | undefined)[],
  { by, now }: Pick<Candidate, 'by' | 'now'>,
  barred: (id: string) => boolean = () => false,
): MayResolve {
  const named = lists.filter((to) => to !== undefined)
  if (named.length === 0) return { ok: true }
  const isIn = (who: Pick<Principal, 'id' | 'groups'>): boolean => named.every((to) => isNamedIn(to, who))
  if (by && isIn(by)) return { ok: true }
  const delegation = by?.delegations?.find(({ from, until }) => now < until && isIn(from) && !barred(from.id))
  if (delegation) return { ok: true, onBehalfOf: delegation.from.id }
  const wanted = named.map((to) => to.join(' or ')).join(', and for ')
  return { ok: false, because: 'not-named', why: `is for ${wanted}.` }
}

/** A quorum counts people. A program counts only where the rule names it. */
function countsPrograms({ approvers, to }: ApproverRule, by: Principal): boolean {
  return approvers <= 1 || (to !== undefined && isNamedIn(to, by))
}

function isOpen({ to, notRequester, approvers }: ApproverRule): boolean {
  return to === undefined && !notRequester && approvers <= 1
}
