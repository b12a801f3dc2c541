import { useEffect, useState } from 'react'
import type { LogEvent } from '@holdpoint/client'
import { useClient, useConversation } from '@holdpoint/react'

/** Every event of a conversation, up to the newest that is loaded. Loads more when the view has a newer event. */
export function useEvents(id: string): { readonly events: readonly LogEvent[]; readonly error: Error | undefined } {
  const client = useClient()
  const seq = useConversation(id, (state) => state.view.seq)
  const [events, setEvents] = useState<readonly LogEvent[]>([])
  const [error, setError] = useState<Error>()
  const known = events.at(-1)?.seq ?? 0
  useEffect(() => {
    if (known >= seq) return undefined
    const over = new AbortController()
    client.conversations.events(id, { after: known, limit: 1000 }, { signal: over.signal }).then(
      ({ items }) => {
        setError(undefined)
        setEvents((before) => [...before, ...items.filter((each) => each.seq > (before.at(-1)?.seq ?? 0))])
      },
      (reason: Error) => (over.signal.aborted ? undefined : setError(reason)),
    )
    return () => over.abort()
  }, [client, id, known, seq])
  return { events, error }
}
