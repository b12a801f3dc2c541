/** The options of a gateway, and its limits. */
import type { Channels } from '@holdpoint/channels'
import type { Signer, Store } from '@holdpoint/core'
import type { QuotaReached } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import type { Scope } from '@holdpoint/protocol'
import type { ListedAgent } from './listed-agent.ts'
import type { StoredAgents } from './stored-agents.ts'
import type { Authorize } from './authorize.ts'
import type { AuthenticateRequest } from './auth/application-session.ts'
import type { OpenIdOptions } from './auth/openid-options.ts'
import type { TokenOptions } from './auth/tokens.ts'
import type { Rate } from './http/rate-limit.ts'
import type { McpPorts } from './mcp-ports.ts'
import type { Prices } from './prices.ts'
import type { Site } from './site/site.ts'

export interface GatewayOptions {
  readonly runtime: Runtime
  /** The runtime's store. The gateway also stores agents, keys and claims in it, as documents. */
  readonly store: Store
  /** Agents from the program's code. They are listed together with those created over HTTP. */
  readonly agents?: readonly ListedAgent[]
  /** From `storedAgents()`: checks and loads agents that are created over HTTP. */
  readonly storedAgents?: Pick<StoredAgents, 'check' | 'load'>
  readonly mcp?: McpPorts
  /** Signs each entry of the audit log. Give the runtime the same key, for the logs of conversations. */
  readonly signingKey?: Signer
  /** Tells people of holds and sends webhooks. The gateway serves its pages, and does not close it. */
  readonly channels?: Channels
  /** Replaces the rules of `authorize`: who sees and does what inside a tenant. Call `authorize` for the rules you keep. */
  readonly authorize?: Authorize
  /** What models cost, for the usage report and the metric `holdpoint.cost`. */
  readonly prices?: Prices
  readonly auth?: AuthOptions
  /** Host names that the gateway serves; `*` for any. Default: loopback. */
  readonly hosts?: readonly string[]
  /** Other origins whose pages may use the gateway. */
  readonly origins?: readonly string[]
  /**
   * Proxies whose `X-Forwarded-For` or `Forwarded` header is trusted: their addresses, such as `10.0.0.0/8`, or the
   * number of proxies in front of the gateway. Default: none.
   */
  readonly trustedProxies?: readonly string[] | number
  /** Pages to serve beside the API: the console, or your own from `siteFromFolder(folder)`. */
  readonly site?: Site
  /** Lets the console sign in as admin, once, with the gateway's `consoleCode`. For a developer's own machine. */
  readonly openConsole?: boolean
  readonly limits?: Partial<Limits>
  /** Values to redact from responses, streams and log lines. Values that are added to a set later are redacted too. */
  readonly secrets?: readonly string[] | ReadonlySet<string>
  readonly log?: (line: LogLine) => void
  /**
   * Called each time that a request is refused because its tenant made too many or sent too many bytes. The quotas of the
   * runtime call its own `onQuotaReached`: pass the same function to both.
   */
  readonly onQuotaReached?: (reached: QuotaReached) => void
  readonly now?: () => number
}

export interface AuthOptions {
  /** Keys from the settings, in addition to those created over HTTP. */
  readonly keys?: readonly ConfiguredKey[]
  readonly tokens?: TokenOptions
  /**
   * Identifies people by the application's own login, such as a session cookie. It is called for requests without an
   * `Authorization` header.
   */
  readonly authenticate?: AuthenticateRequest
  /** How often an open stream asks `authenticate` again, with a copy of its request. Default: a minute. */
  readonly recheckMs?: number
  /** Lets people sign in to the console by OpenID Connect. */
  readonly openId?: OpenIdOptions
}

export interface ConfiguredKey {
  readonly key: string
  readonly tenant?: string
  readonly scopes: readonly Scope[]
  /** The people that the key may act for: their ids, or `true` for all. Default: none. */
  readonly mayActFor?: true | readonly string[]
  /** With the scope `worker` alone: the tools whose calls the key may see, claim and resolve. Default: all. */
  readonly tools?: readonly string[]
  /** The tenants that a request with the key may choose from, the key's own first. Default: only its own. */
  readonly tenants?: readonly string[]
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** What happened, for filters: a problem, a model call that failed, a turn that failed, a request that was refused. */
  readonly event?: 'problem' | 'model-failed' | 'turn-failed' | 'request-refused'
  /** The code of the error, of the refusal or of the end of the turn. */
  readonly code?: string
  /** Of the request. The client gets it in the `x-request-id` header. */
  readonly requestId?: string
  /** What the model's vendor answered, and its id of the request. */
  readonly vendorStatus?: number
  readonly vendorRequestId?: string
  readonly turnId?: string
  /** The seq of the event that the line is about. */
  readonly seq?: number
  /** The caller of the request. */
  readonly by?: string
  /** Why a key or a token was refused: `token-expired`. The caller does not get the reason. */
  readonly reason?: string
  /** The conversation that the line is about. */
  readonly tenant?: string
  readonly conversationId?: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
}

export interface Limits {
  readonly bodyBytes: number
  /** The largest import. For a larger one, call `runtime.import` in a program. */
  readonly importBytes: number
  /** Requests per credential. */
  readonly rate: Rate
  /** Requests per tenant, across all of its credentials. */
  readonly tenantRate: Rate
  /** Bytes of JSON that one tenant sends to one gateway. */
  readonly tenantBytes: Rate
  /** Bytes of responses from one gateway to one tenant, without streams. */
  readonly tenantAnswerBytes: Rate
  /** Bytes of JSON that one tenant sends per UTC day to all gateways on the store. */
  readonly tenantBytesPerDay: number
  /** The largest `maxSteps` (model calls per turn) of a message or of an agent created over HTTP. */
  readonly maxSteps: number
  /** Keys created over HTTP. A program may create more. */
  readonly keysPerTenant: number
  readonly agentsPerTenant: number
  /** Invalid keys and tokens from one address. */
  readonly failedAuthentications: Rate
  readonly streamsPerKey: number
  readonly streamsPerTenant: number
  readonly streams: number
  /** The queue of one stream reader. A reader that lets it overflow is disconnected. */
  readonly streamQueueBytes: number
  /** A reader that reads nothing for this long is disconnected. */
  readonly streamStallMs: number
  /** A stream ends after this time, and its reader reconnects. */
  readonly streamLifeMs: number
  readonly heartbeatMs: number
}

export const LIMITS: Limits = {
  bodyBytes: 1_000_000,
  importBytes: 20_000_000,
  rate: { perSecond: 100, burst: 300 },
  tenantRate: { perSecond: 500, burst: 1500 },
  tenantBytes: { perSecond: 1_000_000, burst: 20_000_000 },
  tenantAnswerBytes: { perSecond: 20_000_000, burst: 200_000_000 },
  tenantBytesPerDay: 2_000_000_000,
  maxSteps: 100,
  keysPerTenant: 1000,
  agentsPerTenant: 200,
  failedAuthentications: { perSecond: 1, burst: 30 },
  streamsPerKey: 1000,
  streamsPerTenant: 2000,
  streams: 10_000,
  streamQueueBytes: 262_144,
  streamStallMs: 60_000,
  streamLifeMs: 3_600_000,
  heartbeatMs: 15_000,
}
