import { useCallback, useSyncExternalStore } from 'react'

interface Readable<S> {
  readonly initial: S
  readonly read: () => S
}

/** The state of a live conversation or space, or a selected part of it. */
export function useLive<S, T>(
  { item, subscribe }: { readonly item: Readable<S>; readonly subscribe: (listener: () => void) => () => void },
  select: ((state: S) => T) | undefined,
): T | S {
  const read = useCallback(() => (select ? select(item.read()) : item.read()), [item, select])
  const initial = useCallback(() => (select ? select(item.initial) : item.initial), [item, select])
  return useSyncExternalStore(subscribe, read, initial)
}
