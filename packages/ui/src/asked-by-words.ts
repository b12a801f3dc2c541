import type { ViewHold } from '@holdpoint/client'
import { whoWords } from './who-words.ts'

type Author = NonNullable<ViewHold['askedBy']>[number]

/** The names of the people, agents, triggers or plans that caused the call, from the log. Undefined without a name. */
export function askedByWords({ askedBy = [] }: Pick<ViewHold, 'askedBy'>): string | undefined {
  const words = new Set(askedBy.flatMap((author) => authorWords(author) ?? []))
  return words.size > 0 ? [...words].join(', ') : undefined
}

function authorWords({ via, by, kind, space }: Author): string | undefined {
  const who = by === undefined ? undefined : whoWords(by)
  switch (via) {
    case 'message':
      return who
    case 'space':
      return `${kind === 'agent' ? 'agent ' : ''}${who ?? 'a user'} in ${space ?? 'a space'}`
    case 'trigger':
      return who ?? 'a trigger'
    case 'plan':
      return 'its own plan'
  }
}
