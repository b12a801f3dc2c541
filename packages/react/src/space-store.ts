/** A live space as React reads it. */
import type { Client, Connection, LiveSpace, SpaceView, ToolsOfClient } from '@holdpoint/client'
import { LiveStore } from './live-store.ts'

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

export type SpaceStore = LiveStore<LiveSpace, SpaceState>

export function spaceStore(client: Client, id: string, tools: () => ToolsOfClient): SpaceStore {
  const live = client.space(id)
  const actions = actionsOf(live)
  return new LiveStore(live, tools, () => {
    const { view, connection } = live
    return { ...actions, id, view, connection, loaded: view.seq > 0, hasEarlier: view.from > 1 }
  })
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
