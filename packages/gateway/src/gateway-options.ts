/** What a gateway is made of, and what it allows. */
import type { Runtime, Store } from '@holdpoint/core'
import type { Scope } from '@holdpoint/protocol'
import type { AgentFacts } from './agent-facts.ts'
import type { TokenOptions } from './auth/tokens.ts'
import type { Rate } from './http/rate.ts'
import type { McpPorts } from './mcp.ts'
import type { Site } from './site/site.ts'

export interface GatewayOptions {
  readonly runtime: Runtime
  /** The runtime's own store. Agents, keys and claims are kept in it too, as documents. */
  readonly store: Store
  /** Agents of the program, to be listed beside those that were made over HTTP. */
  readonly agents?: readonly AgentFacts[]
  /** An agent as JSON: what it is made of, or in words what is wrong with it. */
  readonly readAgent?: (config: unknown) => AgentFacts | string
  readonly mcp?: McpPorts
  readonly auth?: AuthOptions
  /** Names under which it answers; those of this machine unless said. `*` for any. */
  readonly hosts?: readonly string[]
  /** Pages of other origins that may use it. */
  readonly origins?: readonly string[]
  /** Pages to serve beside the API: the console, or those of `siteOf(folder)`. */
  readonly site?: Site
  /** Lets the console in without a key. For the machine of one developer: whoever can open a page there is admin. */
  readonly openConsole?: boolean
  readonly limits?: Partial<Limits>
  /** Values that must never leave: taken out of answers, streams and log lines. What is added to a set later is, too. */
  readonly secrets?: readonly string[] | ReadonlySet<string>
  readonly log?: (line: LogLine) => void
  readonly now?: () => number
}

export interface AuthOptions {
  /** Keys from the settings, beside those that were made here. */
  readonly keys?: readonly { readonly key: string; readonly tenant?: string; readonly scopes: readonly Scope[] }[]
  readonly tokens?: TokenOptions
}

export interface LogLine {
  readonly level: 'info' | 'error'
  readonly message: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
}

export interface Limits {
  readonly bodyBytes: number
  /** Requests of one credential. */
  readonly rate: Rate
  /** Keys and tokens from one address that are not good. */
  readonly strangers: Rate
  readonly streamsPerKey: number
  readonly streamsPerTenant: number
  readonly streams: number
  /** What may wait for one reader of a stream; whoever is slower is cut off. */
  readonly streamQueueBytes: number
  /** A reader that takes nothing for so long is cut off. */
  readonly streamStallMs: number
  /** A stream ends after this, and its reader comes again. */
  readonly streamLifeMs: number
  readonly heartbeatMs: number
}

export const LIMITS: Limits = {
  bodyBytes: 1_000_000,
  rate: { perSecond: 100, burst: 300 },
  strangers: { perSecond: 1, burst: 30 },
  streamsPerKey: 1000,
  streamsPerTenant: 2000,
  streams: 10_000,
  streamQueueBytes: 262_144,
  streamStallMs: 60_000,
  streamLifeMs: 3_600_000,
  heartbeatMs: 15_000,
}
