/** What the routes work with. */
import type { Runtime, Store } from '@holdpoint/core'
import type { Keys } from './auth/keys.ts'
import type { Claims } from './claims.ts'
import type { Documents } from './documents.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { McpPorts } from './mcp.ts'
import type { Redact } from './redact.ts'
import type { Hubs } from './streams/hubs.ts'
import type { Streams } from './streams/streams.ts'
import type { Workers } from './workers.ts'

export interface Services {
  readonly runtime: Runtime
  readonly store: Store
  readonly documents: Documents
  readonly keys: Keys
  readonly hubs: Hubs
  readonly streams: Streams
  readonly claims: Claims
  readonly workers: Workers
  readonly agents: NonNullable<GatewayOptions['agents']>
  readonly readAgent: NonNullable<GatewayOptions['readAgent']>
  readonly mcp: McpPorts
  readonly redact: Redact
  /** Something went wrong that whoever asked is not told. */
  readonly problem: (error: unknown) => void
  readonly closing: AbortSignal
  readonly now: () => number
}
