import type { CardHold } from './card-hold.ts'
import { NO_NAMES, type PeopleNames } from './people-names.ts'
import { whoWords } from './who-words.ts'

/** A person or a group of a rule: `group:finance` reads "the group finance". */
export function approverName(name: string, names: PeopleNames = NO_NAMES): string {
  const group = /^group:(.+)$/s.exec(name)?.[1]
  return group === undefined ? whoWords(name, names) : `the group ${group}`
}

/** Who must answer a hold. Undefined when any person with the right to resolve holds may. */
export function approverWords(
  { kind, to, approvers, notRequester }: CardHold,
  names: PeopleNames = NO_NAMES,
): string | undefined {
  const listed = to?.map((name) => approverName(name, names))
  if (kind !== 'approval') return listed && `for ${listed.join(' or ')}`
  const requester = notRequester ? ', not the requester' : ''
  if (!listed && approvers <= 1) return notRequester ? 'needs a person who is not the requester' : undefined
  if (!listed) return `needs ${approvers} people${requester}`
  if (approvers <= 1) return `needs ${(to ?? []).map((name) => onePerson(name, names)).join(' or ')}${requester}`
  const [only] = listed
  return listed.length === 1
    ? `needs ${approvers} people of ${only}${requester}`
    : `needs ${approvers} of these: ${listed.join(', ')}${requester}`
}

/** Who must still approve. Undefined when no more approvals are needed, or for other kinds of hold. */
export function missingWords(hold: CardHold, names: PeopleNames = NO_NAMES): string | undefined {
  const { kind, to, approvers, endorsed, endorsedBy, notRequester, askedBy = [] } = hold
  const agreed = endorsed?.flatMap(({ by, onBehalfOf }) => [by, onBehalfOf]) ?? endorsedBy
  const missing = hold.missing ?? approvers - endorsedBy.length
  if (kind !== 'approval' || missing <= 0) return undefined
  const more = endorsedBy.length > 0 || (endorsed ?? []).length > 0 ? 'more ' : ''
  if (!to) return missing === 1 ? `one ${more}person` : `${missing} ${more}people`
  const barred = notRequester ? askedBy.map(({ by }) => by) : []
  const left = to.filter((name) => !agreed.includes(name) && !barred.includes(name))
  const [only = ''] = left
  if (left.length === 1 && only.startsWith('group:'))
    return `${missing === 1 ? `one ${more}person` : `${missing} ${more}people`} of ${approverName(only, names)}`
  if (missing === 1) return left.map((name) => onePerson(name, names)).join(' or ')
  const all = left.map((name) => approverName(name, names))
  return left.length === missing ? all.join(' and ') : `${missing} of these: ${all.join(', ')}`
}

function onePerson(name: string, names: PeopleNames): string {
  const words = approverName(name, names)
  return name.startsWith('group:') ? `a person of ${words}` : words
}

/** One approval: who gave it, for whom, and with which key. */
export function endorsementWords(
  { by, onBehalfOf, via }: Omit<NonNullable<CardHold['endorsed']>[number], 'inputHash'>,
  names: PeopleNames = NO_NAMES,
): string {
  const notes = [
    ...(onBehalfOf === undefined ? [] : [`for ${whoWords(onBehalfOf, names)}`]),
    ...(via === undefined ? [] : [`with ${whoWords(via)}`]),
  ]
  return notes.length === 0 ? whoWords(by, names) : `${whoWords(by, names)} (${notes.join(', ')})`
}
