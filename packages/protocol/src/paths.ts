/** Where everything is. Ids are anybody's text, so each is written as one segment of a path. */
import type { Member } from '@holdpoint/core'

const API = '/api'

const at = (...segments: readonly string[]): string => [API, ...segments.map(segment)].join('/')

/** Everybody who reads a URL takes `.` and `..` out of it, written as `%2e` too: they would lead somewhere else. */
function segment(id: string): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed())
    throw new TypeError(`${JSON.stringify(id)} cannot be an id.`)
  return encodeURIComponent(id)
}

export const paths = {
  agents: (): string => at('agents'),
  agent: (name: string): string => at('agents', name),
  life: (name: string): string => at('agents', name, 'life'),
  trigger: (name: string): string => at('agents', name, 'trigger'),
  plans: (name: string): string => at('agents', name, 'plans'),
  plan: (name: string, id: string): string => at('agents', name, 'plans', id),
  spaces: (): string => at('spaces'),
  space: (id: string): string => at('spaces', id),
  spaceMember: (id: string, { kind, id: member }: Member): string => at('spaces', id, 'members', kind, member),
  spaceMessages: (id: string): string => at('spaces', id, 'messages'),
  spaceRead: (id: string): string => at('spaces', id, 'read'),
  /** Like those of a conversation. */
  spaceEvents: (id: string): string => at('spaces', id, 'events'),
  spaceToolResults: (id: string): string => at('spaces', id, 'tool-results'),
  conversations: (): string => at('conversations'),
  conversation: (id: string): string => at('conversations', id),
  messages: (id: string): string => at('conversations', id, 'messages'),
  /** A page of them as JSON, or with `Accept: text/event-stream` all of them as they come. */
  events: (id: string): string => at('conversations', id, 'events'),
  cancel: (id: string): string => at('conversations', id, 'cancel'),
  continue: (id: string): string => at('conversations', id, 'continue'),
  explain: (id: string): string => at('conversations', id, 'explain'),
  /** Which conversations changed, as it happens; with `Accept: text/event-stream` only. */
  changes: (): string => at('changes'),
  holds: (): string => at('holds'),
  hold: (conversationId: string, callId: string): string => at('holds', conversationId, callId),
  resolve: (conversationId: string, callId: string): string => at('holds', conversationId, callId, 'resolve'),
  toolResults: (runId: string): string => at('runs', runId, 'tool-results'),
  claim: (): string => at('calls', 'claim'),
  callProgress: (callId: string): string => at('calls', callId, 'progress'),
  callResult: (callId: string): string => at('calls', callId, 'result'),
  callRelease: (callId: string): string => at('calls', callId, 'release'),
  mcpServers: (): string => at('mcp', 'servers'),
  mcpAccept: (server: string, tool: string): string => at('mcp', 'servers', server, 'tools', tool, 'accept'),
  workers: (): string => at('workers'),
  keys: (): string => at('keys'),
  key: (id: string): string => at('keys', id),
} as const
