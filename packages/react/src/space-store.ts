/** The state of a live space for React. */
import type { Client, Connection, LiveSpace, SpaceView, ClientToolSet } from '@holdpoint/client'
import { LiveStore } from './live-store.ts'

export interface SpaceState extends SpaceActions {
  readonly id: string
  /** Members, messages, and texts being written. `messages` stays the same list while text is streamed. */
  readonly view: SpaceView
  readonly connection: Connection
  /** True once the newest messages are loaded. */
  readonly loaded: boolean
  /** There are older messages. `earlier()` loads them. */
  readonly hasEarlier: boolean
}

/** These functions stay the same while the space is shown. */
interface SpaceActions {
  readonly post: LiveSpace['post']
  readonly read: LiveSpace['read']
  readonly answer: LiveSpace['answer']
  readonly earlier: LiveSpace['earlier']
  readonly reconnect: LiveSpace['reconnect']
}

export type SpaceStore = LiveStore<LiveSpace, SpaceState>

export function spaceStore(client: Client, id: string, tools: () => ClientToolSet): SpaceStore {
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
