import { useCallback, useSyncExternalStore } from 'react'
import type { Client, WatchedState } from '@holdpoint/client'
import { usePage } from './provider.ts'

export interface WatchedResult<T> extends WatchedState<T> {
  /** There is neither a result nor an error yet. */
  readonly loading: boolean
  readonly refresh: () => void
}

/** The state for server rendering and hydration. */
const INITIAL = { value: undefined, error: undefined, connection: { state: 'off' } } as const
const readInitial = (): typeof INITIAL => INITIAL

/**
 * The result of a request that is sent again whenever something changed. Different requests need different keys.
 */
export function useWatched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): WatchedResult<T> {
  const { item, subscribe } = usePage().watched(key, ask)
  const refresh = useCallback(() => item.refresh(), [item])
  const read = useCallback(() => item.state, [item])
  const state = useSyncExternalStore(subscribe, read, readInitial)
  return { ...state, loading: state.value === undefined && state.error === undefined, refresh }
}
