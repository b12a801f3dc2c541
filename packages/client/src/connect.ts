/** A client of the gateway, for browsers and programs. Creating it sends no request. */
import { adminLogOf, type AdminLog } from './admin-log.ts'
import { agentsOf, type Agents } from './agents.ts'
import { callsOf, type Calls } from './calls.ts'
import { Changes } from './changes.ts'
import { channelsOf, webhooksOf, type Channels, type Webhooks } from './channels.ts'
import { conversationsOf, type Conversations } from './conversations.ts'
import { filesOf, type Files } from './files.ts'
import { holdsOf, type Holds } from './holds.ts'
import { Http, type ConnectOptions } from './http.ts'
import { keysOf, type Keys } from './keys.ts'
import { LiveConversation, type LiveOptions } from './live-conversation.ts'
import { LiveSpace, type LiveSpaceOptions } from './live-space.ts'
import { mcpOf, type Mcp } from './mcp.ts'
import {
  delegationsOf,
  peopleOf,
  personSessionsOf,
  type Delegations,
  type People,
  type PersonSessions,
} from './people.ts'
import { replaysOf, type Replays } from './replays.ts'
import { rulesOf, type Rules } from './rules.ts'
import { StartedHolds } from './started-holds.ts'
import { systemOf, type System } from './system.ts'
import { usageOf, type Usage } from './usage.ts'
import { Watched } from './watched.ts'
import { spacesOf, type Spaces } from './spaces.ts'

export interface Client {
  readonly agents: Agents
  readonly conversations: Conversations
  readonly holds: Holds
  /** Files and images of messages. */
  readonly files: Files
  readonly calls: Calls
  readonly keys: Keys
  readonly rules: Rules
  /** Administrative actions: who created keys, saved rules, changed members, erased and exported. */
  readonly adminLog: AdminLog
  readonly people: People
  readonly channels: Channels
  readonly webhooks: Webhooks
  readonly delegations: Delegations
  readonly sessions: PersonSessions
  readonly spaces: Spaces
  readonly mcp: Mcp
  readonly replays: Replays
  readonly usage: Usage
  readonly system: System
  /** A live view of a conversation. Each one has its own connection, so create it once and keep it. */
  conversation(id: string, options?: LiveOptions): LiveConversation
  /** Notifies listeners that a conversation changed. */
  readonly changes: Changes
  /** The result of `ask`, called again whenever something changed. Create it once and keep it. */
  watch<T>(ask: (signal: AbortSignal) => Promise<T>): Watched<T>
  /** A live view of a space. Create it once and keep it. */
  space(id: string, options?: LiveSpaceOptions): LiveSpace
}

export function connect(options: ConnectOptions): Client {
  const http = new Http(options)
  const conversations = conversationsOf(http)
  const holds = holdsOf(http)
  const changes = new Changes(http)
  const started = new StartedHolds()
  const spaces = spacesOf(http)
  return {
    agents: agentsOf(http),
    conversations,
    holds,
    files: filesOf(http),
    calls: callsOf(http),
    keys: keysOf(http),
    rules: rulesOf(http),
    adminLog: adminLogOf(http),
    people: peopleOf(http),
    channels: channelsOf(http),
    webhooks: webhooksOf(http),
    delegations: delegationsOf(http),
    sessions: personSessionsOf(http),
    spaces,
    mcp: mcpOf(http),
    replays: replaysOf(conversations),
    usage: usageOf(http),
    system: systemOf(http),
    conversation: (id, live) => new LiveConversation({ http, conversations, holds, started }, id, live),
    changes,
    watch: (ask) => new Watched(changes, ask),
    space: (id, live) => new LiveSpace({ http, spaces, started }, id, live),
  }
}
