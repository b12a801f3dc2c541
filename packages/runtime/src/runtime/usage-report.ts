/** What a tenant used by day, agent, model and tool, computed from the logs, newest conversation first. */
import type { Engine } from '../node/engine.ts'
import { LogUsage, type ModelUsage, type PriceOf, type ToolUsage } from '../scan/log-usage.ts'
import { scanLogs } from '../scan/scan-logs.ts'
import { checkFilter, place, time, type Rule } from './check-request.ts'

export interface UsageFilter {
  /** Default: 30 days ago. */
  readonly since?: number
  readonly until?: number
  /** The `next` of an earlier page. */
  readonly after?: string
}

export interface UsageReportOptions extends UsageFilter {
  readonly price?: PriceOf
}

export interface UsagePage {
  readonly models: readonly ModelUsage[]
  readonly tools: readonly ToolUsage[]
  /** How many conversations this page counted. */
  readonly conversations: number
  /** Conversations with so many events in this time that only the newest were counted. */
  readonly cut: number
  /** Conversations with a damaged log, which were not counted. */
  readonly unreadable: number
  /** Other conversations were not counted yet: add the next page. */
  readonly next: string | undefined
}

const USAGE: Readonly<Record<keyof UsageFilter, Rule>> = { since: time, until: time, after: place }
const MONTH_MS = 30 * 86_400_000

export async function usageReport(
  engine: Engine,
  tenant: string,
  { price, ...given }: UsageReportOptions,
): Promise<UsagePage> {
  const now = engine.ports.now()
  const {
    since = now - MONTH_MS,
    until = now,
    after,
  } = checkFilter<UsageFilter & { limit?: number }>(given, {
    ...USAGE,
    limit: place,
  })
  const usage = new LogUsage(price)
  let longer = 0
  const { conversations, unreadable, next } = await scanLogs(engine.store, {
    query: { tenant, ...(after !== undefined && { after }) },
    wants: ({ createdAt, updatedAt }) => updatedAt >= since && createdAt <= until,
    visit: ({ row, events, cut }) => {
      usage.add(events, { agent: row.agent, since, until })
      if (cut && (events[0]?.at ?? 0) >= since) longer++
      return true
    },
  })
  return { models: usage.models, tools: usage.tools, conversations, cut: longer, unreadable, next }
}
