import type { ViewHold } from '@holdpoint/client'
import { asPlainText } from './hidden-characters.ts'
import { NO_NAMES, type PeopleNames } from './people-names.ts'
import { whoWords } from './who-words.ts'

type Author = NonNullable<ViewHold['askedBy']>[number]

/** The names of the people, agents, triggers or plans that caused the call, from the log. Undefined without a name. */
export function askedByWords(
  { askedBy = [] }: Pick<ViewHold, 'askedBy'>,
  names: PeopleNames = NO_NAMES,
): string | undefined {
  const words = new Set(askedBy.flatMap((author) => authorWords(author, names) ?? []))
  return words.size > 0 ? [...words].join(', ') : undefined
}

/** The ids of the requesters, for a tooltip. */
export function requesterIds({ askedBy = [] }: Pick<ViewHold, 'askedBy'>): string | undefined {
  const ids = new Set(
    askedBy.flatMap(({ by, requesters = [] }) => [
      ...(by === undefined ? [] : [asPlainText(by)]),
      ...(requesters === 'many' ? [] : requesters.map(asPlainText)),
    ]),
  )
  return ids.size > 0 ? [...ids].join(', ') : undefined
}

function authorWords(author: Author, names: PeopleNames): string | undefined {
  const words = ownWords(author, names)
  const { requesters = [] } = author
  if (words === undefined || requesters.length === 0) return words
  const people = requesters === 'many' ? 'many people' : requesters.map((id) => whoWords(id, names)).join(' and ')
  return `${words} for ${people}`
}

function ownWords({ via, by, kind, space }: Author, names: PeopleNames): string | undefined {
  // An agent has no display name, and its name may be the id of a person.
  const who = by === undefined ? undefined : whoWords(by, kind === 'agent' ? NO_NAMES : names)
  switch (via) {
    case 'message':
      return who
    case 'space':
      return `${kind === 'agent' ? 'agent ' : ''}${who ?? 'a user'} in ${space ?? 'a space'}`
    case 'trigger':
      return who ?? 'a trigger'
    case 'plan':
      return 'its own plan'
    case 'inbox':
      return 'its inbox'
  }
}
