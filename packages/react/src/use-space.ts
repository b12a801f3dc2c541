import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Connection, LiveSpace, SpaceView } from '@holdpoint/client'
import { usePage } from './provider.ts'

export interface SpaceState extends SpaceActions {
  readonly id: string
  /** Who is there, what was said, and what is being written. `messages` is the same list while text arrives. */
  readonly view: SpaceView
  readonly connection: Connection
  /** False until the newest messages are there. */
  readonly loaded: boolean
  /** There are older messages: `earlier()` brings them. */
  readonly hasEarlier: boolean
}

/** The same functions for as long as the space is shown. */
interface SpaceActions {
  readonly post: LiveSpace['post']
  readonly read: LiveSpace['read']
  readonly answer: LiveSpace['answer']
  readonly earlier: LiveSpace['earlier']
  readonly reconnect: LiveSpace['reconnect']
}

/** A space as it is now. It is followed while a component uses it, once however many do. */
export function useSpace(id: string): SpaceState {
  const space = usePage().space(id)
  const subscribe = useCallback((listener: () => void) => space.subscribe(listener), [space])
  const readView = useCallback(() => space.view, [space])
  const readConnection = useCallback(() => space.connection, [space])
  const view = useSyncExternalStore(subscribe, readView, readView)
  const connection = useSyncExternalStore(subscribe, readConnection, readConnection)
  const actions = useMemo(() => actionsOf(space), [space])
  return { ...actions, id, view, connection, loaded: view.seq > 0, hasEarlier: view.from > 1 }
}

function actionsOf(space: LiveSpace): SpaceActions {
  return {
    post: (text, options) => space.post(text, options),
    read: (upTo, options) => space.read(upTo, options),
    answer: (callId, value, options) => space.answer(callId, value, options),
    earlier: (messages, options) => space.earlier(messages, options),
    reconnect: () => space.reconnect(),
  }
}
