/**
 * Several approvers of one hold. They must be different people, and approve the same input: an approval of another input
 * does not count. A key that approves as itself and for a person would be two approvers with one credential, so it counts
 * once.
 */
import { isLookAlikeName } from '../look-alike-name.ts'
import type { Endorsement, Hold } from './hold.ts'

export interface Quorum {
  /** The same person approved before; a delegate and the person it acts for are one. */
  readonly repeated: boolean
  /** How many more people must approve. */
  readonly remaining: number
}

export function countQuorum(
  endorsed: readonly Endorsement[],
  mine: Approver,
  inputHash: string,
  approvers: number,
): Quorum {
  const same = endorsed.filter((each) => each.inputHash === inputHash)
  const repeated = same.some((each) => sharePerson(each, mine))
  return { repeated, remaining: approvers - same.length - (repeated ? 0 : 1) }
}

/** The people who approved exactly the input that the hold shows. */
export function endorsersOf({ inputHash }: Hold, endorsed: readonly Endorsement[]): readonly string[] {
  return endorsed.filter((each) => each.inputHash === inputHash).map(({ by }) => by)
}

export type Approver = Pick<Endorsement, 'by' | 'via' | 'onBehalfOf'>

/** A person who approves for another counts as both. */
function peopleOf({ by, onBehalfOf }: Approver): readonly string[] {
  return onBehalfOf === undefined ? [by] : [by, onBehalfOf]
}

export function sharePerson(one: Approver, other: Approver): boolean {
  if (one.by === other.via || one.via === other.by) return true
  return peopleOf(one).some((name) => peopleOf(other).some((each) => isLookAlikeName(each, name)))
}
