/**
 * The display names of people, by id. A display name is chosen by a person or written by an administrator, and is no
 * identity: a name that could be taken for another person is shown together with the id.
 */
import { createContext, use } from 'react'
import { isLookAlikeName } from '@holdpoint/client'
import { hasHidden } from './hidden-characters.ts'

/** A person without a display name is in it with their id as the name, so that no other person's name passes for them. */
export type PeopleNames = ReadonlyMap<string, string>

export const NO_NAMES: PeopleNames = new Map()
export const PeopleNamesContext: React.Context<PeopleNames> = createContext<PeopleNames>(NO_NAMES)

export function usePeopleNames(): PeopleNames {
  return use(PeopleNamesContext)
}

/** The gateway sends names as JSON objects. */
export function peopleNamesOf(all: readonly (Readonly<Record<string, string>> | undefined)[]): PeopleNames {
  return new Map(all.flatMap((names) => Object.entries(names ?? {})))
}

/** At least two words of letters of one script. A single word may be the id of another person. */
const PLAIN = /^[\p{L}\p{M}'’.-]+(?: [\p{L}\p{M}\p{N}'’.-]+)+$/u
const LONGEST = 60
/** Words of our own texts about people. */
const RESERVED = ['a user', 'the requester', 'the group']

/** Whether the name may be shown without the id. */
export function standsAlone(name: string, id: string, names: PeopleNames): boolean {
  if (name.length > LONGEST || !PLAIN.test(name) || hasHidden(name) || mixesScripts(name)) return false
  if (RESERVED.some((words) => name.toLowerCase().startsWith(words))) return false
  return ![...names].some(
    ([otherId, other]) => otherId !== id && (isLookAlikeName(other, name) || isLookAlikeName(otherId, name)),
  )
}

/** Cyrillic and Greek letters look like Latin ones. */
function mixesScripts(name: string): boolean {
  const letters = Array.from(name).filter((letter) => /\p{L}/u.test(letter))
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length
  return latin > 0 && latin < letters.length
}
