/**
 * Several approvers of one hold. They must be different people, and approve the same input: an approval of another input
 * does not count.
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
  mine: Pick<Endorsement, 'by' | 'onBehalfOf'>,
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

/** A person who approves for another counts as both. */
function peopleOf({ by, onBehalfOf }: Pick<Endorsement, 'by' | 'onBehalfOf'>): readonly string[] {
  return onBehalfOf === undefined ? [by] : [by, onBehalfOf]
}

export function sharePerson(
  one: Pick<Endorsement, 'by' | 'onBehalfOf'>,
  other: Pick<Endorsement, 'by' | 'onBehalfOf'>,
): boolean {
  return peopleOf(one).some((name) => peopleOf(other).some((each) => isLookAlikeName(each, name)))
}
