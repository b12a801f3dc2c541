import type { ViewHold } from '@holdpoint/client'
import { whoWords } from './who-words.ts'

type Author = NonNullable<ViewHold['askedBy']>[number]

/** Whose words made the agent ask, as the log has it. Undefined where no name is known. */
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
      return `${kind === 'agent' ? 'agent ' : ''}${who ?? 'someone'} in ${space ?? 'a space'}`
    case 'trigger':
      return who ?? 'a trigger'
    case 'plan':
      return 'its own plan'
  }
}
