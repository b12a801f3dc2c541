import { NO_NAMES, standsAlone, type PeopleNames } from './people-names.ts'

/**
 * The name of an author: the display name where it is known, with the id where the name alone could mean another person.
 * A key is marked as such, so that it is not mistaken for a person of the same name.
 */
export function whoWords(by: string, names: PeopleNames = NO_NAMES): string {
  const key = /^key:(.+)$/s.exec(by)?.[1]
  if (key !== undefined) return `${key} (key)`
  const name = names.get(by)
  if (name === undefined || name === by) return by
  return standsAlone(name, by, names) ? name : `“${name}” (${by})`
}
