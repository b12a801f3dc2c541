/** The paths of the HTTP API. Ids can be any text, so each is encoded as one path segment. */
import type { Member } from '@holdpoint/core'

const API = '/api'

const at = (...segments: readonly string[]): string => [API, ...segments.map(segment)].join('/')

/** URL parsers remove `.` and `..`, also as `%2e`, so such an id would lead to a different path. */
function segment(id: string): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed())
    throw new TypeError(`${JSON.stringify(id)} is not a valid id.`)
  return encodeURIComponent(id)
}

export const paths = {
  agents: (): string => at('agents'),
  agent: (name: string): string => at('agents', name),
  autonomousAgent: (name: string): string => at('agents', name, 'life'),
  trigger: (name: string): string => at('agents', name, 'trigger'),
  plans: (name: string): string => at('agents', name, 'plans'),
  plan: (name: string, id: string): string => at('agents', name, 'plans', id),
  spaces: (): string => at('spaces'),
  space: (id: string): string => at('spaces', id),
  spaceMember: (id: string, { kind, id: member }: Member): string => at('spaces', id, 'members', kind, member),
  spaceMessages: (id: string): string => at('spaces', id, 'messages'),
  spaceRead: (id: string): string => at('spaces', id, 'read'),
  /** Like `events` of a conversation. */
  spaceEvents: (id: string): string => at('spaces', id, 'events'),
  spaceToolResults: (id: string): string => at('spaces', id, 'tool-results'),
  conversations: (): string => at('conversations'),
  conversation: (id: string): string => at('conversations', id),
  messages: (id: string): string => at('conversations', id, 'messages'),
  files: (): string => at('files'),
  file: (id: string): string => at('files', id),
  /** A page as JSON, or a live stream with `Accept: text/event-stream`. */
  events: (id: string): string => at('conversations', id, 'events'),
  cancel: (id: string): string => at('conversations', id, 'cancel'),
  continue: (id: string): string => at('conversations', id, 'continue'),
  participants: (id: string): string => at('conversations', id, 'participants'),
  explain: (id: string): string => at('conversations', id, 'explain'),
  replay: (id: string): string => at('conversations', id, 'replay'),
  fork: (id: string): string => at('conversations', id, 'fork'),
  /** Lines of JSON, of one conversation and of all. */
  conversationExport: (id: string): string => at('conversations', id, 'export'),
  export: (): string => at('export'),
  import: (): string => at('import'),
  /** Which conversations changed, as a live stream with `Accept: text/event-stream`. */
  changes: (): string => at('changes'),
  holds: (): string => at('holds'),
  hold: (conversationId: string, callId: string): string => at('holds', conversationId, callId),
  resolve: (conversationId: string, callId: string): string => at('holds', conversationId, callId, 'resolve'),
  assign: (conversationId: string, callId: string): string => at('holds', conversationId, callId, 'assign'),
  comments: (conversationId: string, callId: string): string => at('holds', conversationId, callId, 'comments'),
  signedHeads: (id: string): string => at('conversations', id, 'signed-heads'),
  signingKeys: (): string => at('signing-keys'),
  adminLog: (): string => at('admin-log'),
  evidence: (conversationId: string, callId: string): string => at('holds', conversationId, callId, 'evidence'),
  rules: (): string => at('rules'),
  rule: (id: string): string => at('rules', id),
  ruleRevoke: (id: string): string => at('rules', id, 'revoke'),
  backtest: (): string => at('rules', 'backtest'),
  people: (): string => at('people'),
  person: (id: string): string => at('people', id),
  /** Lines of JSON. */
  personExport: (id: string): string => at('people', id, 'export'),
  personErase: (id: string): string => at('people', id, 'erase'),
  personSessions: (id: string): string => at('people', id, 'sessions'),
  handOver: (id: string): string => at('people', id, 'hand-over'),
  personChannels: (id: string): string => at('people', id, 'channels'),
  channelPreferences: (id: string): string => at('people', id, 'channels', 'preferences'),
  devices: (id: string): string => at('people', id, 'channels', 'devices'),
  device: (id: string, device: string): string => at('people', id, 'channels', 'devices', device),
  channelDeliveries: (): string => at('channels', 'deliveries'),
  channelReplay: (): string => at('channels', 'replay'),
  webhooks: (): string => at('webhooks'),
  webhook: (id: string): string => at('webhooks', id),
  webhookSecret: (id: string): string => at('webhooks', id, 'secret'),
  webhookDeliveries: (id: string): string => at('webhooks', id, 'deliveries'),
  webhookReplay: (id: string): string => at('webhooks', id, 'replay'),
  delegations: (): string => at('delegations'),
  delegation: (to: string): string => at('delegations', to),
  toolResults: (runId: string): string => at('runs', runId, 'tool-results'),
  calls: (): string => at('calls'),
  call: (callId: string): string => at('calls', callId),
  claim: (): string => at('calls', 'claim'),
  callProgress: (callId: string): string => at('calls', callId, 'progress'),
  callResult: (callId: string): string => at('calls', callId, 'result'),
  callRelease: (callId: string): string => at('calls', callId, 'release'),
  mcpServers: (): string => at('mcp', 'servers'),
  mcpAccept: (server: string, tool: string): string => at('mcp', 'servers', server, 'tools', tool, 'accept'),
  workers: (): string => at('workers'),
  search: (): string => at('search'),
  usage: (): string => at('usage'),
  usageReport: (): string => at('usage', 'report'),
  system: (): string => at('system'),
  me: (): string => at('me'),
  mySessions: (): string => at('me', 'sessions'),
  mySession: (id: string): string => at('me', 'sessions', id),
  keys: (): string => at('keys'),
  key: (id: string): string => at('keys', id),
} as const
