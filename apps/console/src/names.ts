/** The display names of the people on a screen, as the gateway sends them. */
import { useEffect, useMemo, useState } from 'react'
import { peopleInView, type CallerRow, type HoldRow, type View } from '@holdpoint/client'
import { useClient, useConversation, type ConversationState } from '@holdpoint/react'
import { peopleNamesOf, type PeopleNames } from '@holdpoint/ui'
import { useCaller } from './use-me.ts'

/** Of the people in these holds, and of the user. */
export function useHoldNames(holds: readonly HoldRow[]): PeopleNames {
  const caller = useCaller()
  return peopleNamesOf([ownName(caller), ...holds.map(({ names }) => names)])
}

/** Of the people in a conversation, and of the user. They are requested when another person appears in it. */
export function useConversationNames(id: string): PeopleNames {
  const { conversations } = useClient()
  const caller = useCaller()
  const people = useConversation(id, peopleOf)
  const [names, setNames] = useState<Readonly<Record<string, string>>>()
  useEffect(() => {
    if (people === '') return undefined
    const stop = new AbortController()
    conversations.participants(id, { names: 'all', signal: stop.signal }).then(
      (found) => setNames(found?.names),
      // The ids are shown.
      () => undefined,
    )
    return () => stop.abort()
  }, [conversations, id, people])
  return useMemo(() => peopleNamesOf([ownName(caller), names]), [names, caller])
}

function ownName(caller: CallerRow | undefined): Readonly<Record<string, string>> | undefined {
  return caller?.kind === 'person' && caller.name !== undefined ? { [caller.by]: caller.name } : undefined
}

/** By the turns of a view, which stay the same object while a text is streamed. */
const known = new WeakMap<View['turns'], string>()

/** The ids as one text, so that an unchanged list is equal. */
function peopleOf({ view }: ConversationState): string {
  const before = known.get(view.turns)
  if (before !== undefined) return before
  const people = JSON.stringify(peopleInView(view))
  known.set(view.turns, people === '[]' ? '' : people)
  return people === '[]' ? '' : people
}
