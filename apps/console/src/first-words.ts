import { useEffect, useState } from 'react'
import { firstWordsOf } from '@holdpoint/client'
import { useClient, useConversation } from '@holdpoint/react'

/** A place may have been made for it first, and a turn begun by something that nobody said. */
const FIRST_EVENTS = 8

/** What a conversation is called here: what was said first. It never changes, so it is asked for until it is there. */
export function useFirstWords(id: string): string | undefined {
  const client = useClient()
  // Whatever comes after the first events does not change what they say.
  const begun = useConversation(id, (state) => Math.min(state.view.seq, FIRST_EVENTS))
  const [words, setWords] = useState<string>()
  useEffect(() => {
    if (begun === 0 || words !== undefined) return undefined
    const over = new AbortController()
    client.conversations.events(id, { limit: FIRST_EVENTS }, { signal: over.signal }).then(
      ({ items }) => setWords(firstWordsOf(items)),
      // The conversation itself says what is wrong.
      () => undefined,
    )
    return () => over.abort()
  }, [client, id, begun, words])
  return words
}
