/** The gateway from a browser or from another program. Nothing is sent before something is asked. */
import { agentsOf, type Agents } from './agents.ts'
import { callsOf, type Calls } from './calls.ts'
import { Changes } from './changes.ts'
import { conversationsOf, type Conversations } from './conversations.ts'
import { holdsOf, type Holds } from './holds.ts'
import { Http, type ConnectOptions } from './http.ts'
import { keysOf, type Keys } from './keys.ts'
import { LiveConversation, type LiveOptions } from './live-conversation.ts'
import { LiveSpace, type LiveSpaceOptions } from './live-space.ts'
import { mcpOf, type Mcp } from './mcp.ts'
import { Ran } from './ran.ts'
import { Watched } from './watched.ts'
import { spacesOf, type Spaces } from './spaces.ts'

export interface Client {
  readonly agents: Agents
  readonly conversations: Conversations
  readonly holds: Holds
  readonly calls: Calls
  readonly keys: Keys
  readonly spaces: Spaces
  readonly mcp: Mcp
  /** A conversation as it is now, and stays. Make it once and keep it: each has a connection of its own. */
  conversation(id: string, options?: LiveOptions): LiveConversation
  /** Hears of every conversation that changes. */
  readonly changes: Changes
  /** What a question is answered, asked again whenever something changed. Make it once and keep it. */
  watch<T>(ask: (signal: AbortSignal) => Promise<T>): Watched<T>
  /** A space likewise. */
  space(id: string, options?: LiveSpaceOptions): LiveSpace
}

export function connect(options: ConnectOptions): Client {
  const http = new Http(options)
  const conversations = conversationsOf(http)
  const holds = holdsOf(http)
  const changes = new Changes(http)
  const ran = new Ran()
  const spaces = spacesOf(http)
  return {
    agents: agentsOf(http),
    conversations,
    holds,
    calls: callsOf(http),
    keys: keysOf(http),
    spaces,
    mcp: mcpOf(http),
    conversation: (id, live) => new LiveConversation({ http, conversations, holds, ran }, id, live),
    changes,
    watch: (ask) => new Watched(changes, ask),
    space: (id, live) => new LiveSpace({ http, spaces, ran }, id, live),
  }
}
