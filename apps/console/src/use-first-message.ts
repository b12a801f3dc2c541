import { useEffect, useState } from 'react'
import { firstMessageOf } from '@holdpoint/client'
import { useClient, useConversation } from '@holdpoint/react'

/** The first message need not be the first event: `conversation.opened`, or a turn started by a plan, may come before it. */
const FIRST_EVENTS = 8

/** The title of a conversation: its first message. It never changes, so it is requested until there is one. */
export function useFirstMessage(id: string): string | undefined {
  const client = useClient()
  // Later events do not change the first ones.
  const begun = useConversation(id, (state) => Math.min(state.view.seq, FIRST_EVENTS))
  const [text, setText] = useState<string>()
  useEffect(() => {
    if (begun === 0 || text !== undefined) return undefined
    const over = new AbortController()
    client.conversations.events(id, { limit: FIRST_EVENTS }, { signal: over.signal }).then(
      ({ items }) => setText(firstMessageOf(items)),
      // The conversation's own stream reports the error.
      () => undefined,
    )
    return () => over.abort()
  }, [client, id, begun, text])
  return text
}
