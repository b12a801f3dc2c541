/** The services that routes use. */
import type { ChatRuns } from '@holdpoint/ai-sdk'
import type { Channels } from '@holdpoint/channels'
import type { Store } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import type { AdminLog } from './admin-log.ts'
import type { Authorize } from './authorize.ts'
import type { CookieSessions } from './auth/cookie-sessions.ts'
import type { Keys } from './auth/keys.ts'
import type { CallClaims } from './call-claims.ts'
import type { DocumentStore } from './document-store.ts'
import type { GatewayOptions, Limits } from './gateway-options.ts'
import type { NodeReports } from './node-reports.ts'
import type { Prices } from './prices.ts'
import type { RecentProblem } from './recent-problems.ts'
import type { McpPorts } from './mcp-ports.ts'
import type { Redact } from './redact.ts'
import type { CappedIds } from './capped-ids.ts'
import type { TenantLimits } from './http/tenant-limits.ts'
import type { Hubs } from './streams/hubs.ts'
import type { Streams } from './streams/streams.ts'
import type { Delegations } from './delegations.ts'
import type { PeopleDirectory } from './people-directory.ts'
import type { PeopleNames } from './people-names.ts'
import type { Workers } from './workers.ts'

export interface GatewayServices {
  readonly runtime: Runtime
  readonly store: Store
  readonly documents: DocumentStore
  readonly agentIds: CappedIds
  readonly keys: Keys
  readonly adminLog: AdminLog
  readonly sessions: CookieSessions
  readonly hubs: Hubs
  readonly streams: Streams
  readonly claims: CallClaims
  readonly chatRuns: ChatRuns
  readonly workers: Workers
  readonly people: PeopleDirectory
  readonly names: PeopleNames
  readonly delegations: Delegations
  /** Undefined: the default rules, which the runtime checks again in the decision that is written. */
  readonly authorize: Authorize | undefined
  readonly agents: NonNullable<GatewayOptions['agents']>
  readonly storedAgents: GatewayOptions['storedAgents']
  readonly mcp: McpPorts
  readonly channels: Channels | undefined
  readonly prices: Prices | undefined
  readonly nodes: NodeReports
  /** The newest problems of this process. */
  readonly problems: () => readonly RecentProblem[]
  readonly limits: Limits
  readonly tenantLimits: TenantLimits
  readonly redact: Redact
  /** Logs an error that the caller does not get. */
  readonly problem: (error: unknown) => void
  readonly closing: AbortSignal
  readonly now: () => number
}
