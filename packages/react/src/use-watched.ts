import { useCallback, useSyncExternalStore } from 'react'
import type { Client, WatchedState } from '@holdpoint/client'
import { usePage } from './provider.ts'

export interface WatchedAnswer<T> extends WatchedState<T> {
  /** Nothing was heard yet. */
  readonly loading: boolean
  readonly refresh: () => void
}

/**
 * What a question is answered, asked again whenever something changed. The key says which question it is: another
 * question, another key.
 */
export function useWatched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): WatchedAnswer<T> {
  const watched = usePage().watched(key, ask)
  const subscribe = useCallback((listener: () => void) => watched.subscribe(listener), [watched])
  const refresh = useCallback(() => watched.refresh(), [watched])
  const read = useCallback(() => watched.state, [watched])
  const state = useSyncExternalStore(subscribe, read, read)
  return { ...state, loading: state.value === undefined && state.error === undefined, refresh }
}
