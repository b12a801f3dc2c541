import { useCallback, useSyncExternalStore } from 'react'
import type { Client, WatchedState } from '@holdpoint/client'
import { usePage } from './provider.ts'

export interface WatchedAnswer<T> extends WatchedState<T> {
  /** Nothing was heard yet. */
  readonly loading: boolean
  readonly refresh: () => void
}

/** Where a server drew the page, it knew no answer, and a page must begin like that. */
const INITIAL = { value: undefined, error: undefined, connection: { state: 'off' } } as const
const readInitial = (): typeof INITIAL => INITIAL

/**
 * What a question is answered, asked again whenever something changed. The key says which question it is: another
 * question, another key.
 */
export function useWatched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): WatchedAnswer<T> {
  const { item, subscribe } = usePage().watched(key, ask)
  const refresh = useCallback(() => item.refresh(), [item])
  const read = useCallback(() => item.state, [item])
  const state = useSyncExternalStore(subscribe, read, readInitial)
  return { ...state, loading: state.value === undefined && state.error === undefined, refresh }
}
