import type { CardHold } from './card-hold.ts'
import { whoWords } from './who-words.ts'

/** A person or a group of a rule: `group:finance` reads "the group finance". */
export function approverName(name: string): string {
  const group = /^group:(.+)$/s.exec(name)?.[1]
  return group === undefined ? whoWords(name) : `the group ${group}`
}

/** Who must answer a hold. Undefined when any person with the right to resolve holds may. */
export function approverWords({ kind, to, approvers, notRequester }: CardHold): string | undefined {
  const names = to?.map(approverName)
  if (kind !== 'approval') return names && `for ${names.join(' or ')}`
  const requester = notRequester ? ', not the requester' : ''
  if (!names && approvers <= 1) return notRequester ? 'needs a person who is not the requester' : undefined
  if (!names) return `needs ${approvers} people${requester}`
  if (approvers <= 1) return `needs ${(to ?? []).map(onePerson).join(' or ')}${requester}`
  const [only] = names
  return names.length === 1
    ? `needs ${approvers} people of ${only}${requester}`
    : `needs ${approvers} of these: ${names.join(', ')}${requester}`
}

function onePerson(name: string): string {
  const words = approverName(name)
  return name.startsWith('group:') ? `a person of ${words}` : words
}

/** One approval: who gave it, for whom, and with which key. */
export function endorsementWords({ by, onBehalfOf, via }: NonNullable<CardHold['endorsed']>[number]): string {
  const notes = [
    ...(onBehalfOf === undefined ? [] : [`for ${whoWords(onBehalfOf)}`]),
    ...(via === undefined ? [] : [`with ${whoWords(via)}`]),
  ]
  return notes.length === 0 ? whoWords(by) : `${whoWords(by)} (${notes.join(', ')})`
}
