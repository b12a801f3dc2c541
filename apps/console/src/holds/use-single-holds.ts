/** Holds that are read alone, because they are not among the rows that the inbox has read: by their address, or selected before. */
import type { HoldRow } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { useBy } from '../preferences.ts'
import type { At } from './hold-key.ts'

export interface SingleHolds {
  readonly holds: readonly HoldRow[]
  readonly loading: boolean
}

const NONE: readonly HoldRow[] = []

/** Those of them that are open. */
export function useSingleHolds(all: readonly At[]): SingleHolds {
  const by = useBy()
  const addresses = all.map(({ conversationId, callId }) => [conversationId, callId] as const)
  const key = addresses.length === 0 ? 'no single holds' : `single holds ${JSON.stringify([by, addresses])}`
  const { value, loading } = useWatched(key, async (client, signal) => {
    const found = addresses.map(([conversationId, callId]) =>
      client.holds.list({ conversationId, callId, limit: 1, ...(by !== undefined && { by }) }, { signal }),
    )
    return (await Promise.all(found)).flatMap(({ items }) => items)
  })
  return { holds: value ?? NONE, loading: loading && addresses.length > 0 }
}
