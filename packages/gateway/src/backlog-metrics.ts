/** What waits, as gauges: open holds by tool and age, and news that nothing was told yet. Read from the store at each reading. */
import type { MeterProvider } from '@opentelemetry/sdk-metrics'
import { readNews } from '@holdpoint/runtime'
import type { Store } from 'holdpoint'

const HOUR = 3_600_000
/** The age of a hold is at most this. */
const AGES = [
  ['minute', HOUR / 60],
  ['hour', HOUR],
  ['day', 24 * HOUR],
  ['week', 7 * 24 * HOUR],
  ['longer', Infinity],
] as const
const PAGE = 1000
/** A reading must not take longer than the interval between two of them. */
const MOST_HOLDS = 10_000
const MOST_NEWS = 10_000

export interface BacklogParts {
  readonly store: Store
  readonly provider: MeterProvider
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}

/** Returns what is told of each tenant that exists. */
export function backlogMetrics({ store, provider, now, onProblem }: BacklogParts): (tenant: string) => void {
  const tenants = new Set([''])
  const meter = provider.getMeter('@holdpoint/gateway')
  const holds = meter.createObservableGauge('holdpoint.holds.open', {
    unit: '{hold}',
    description: 'Open holds of all processes, by tool, kind and age.',
  })
  holds.addCallback(async (result) => {
    try {
      for (const { attributes, count } of await openHolds(store, tenants, now())) result.observe(count, attributes)
    } catch (error) {
      onProblem(error)
    }
  })
  const outbox = meter.createObservableGauge('holdpoint.outbox', {
    unit: '{item}',
    description: 'News that no channel, webhook or handler was told yet.',
  })
  outbox.addCallback(async (result) => {
    try {
      result.observe(await newsCount(store))
    } catch (error) {
      onProblem(error)
    }
  })
  return (tenant) => void tenants.add(tenant)
}

interface Counted {
  readonly attributes: Readonly<Record<string, string>>
  readonly count: number
}

async function openHolds(store: Store, tenants: ReadonlySet<string>, now: number): Promise<readonly Counted[]> {
  const found = new Map<string, Counted>()
  let left = MOST_HOLDS
  for (const tenant of tenants)
    for (let after: string | undefined; left > 0;) {
      const page = await store.pending({ tenant, limit: Math.min(PAGE, left), ...(after !== undefined && { after }) })
      left -= page.items.length
      for (const { tool, kind, heldAt } of page.items) {
        const [age] = AGES.find(([, most]) => now - heldAt <= most) ?? AGES[0]
        const key = JSON.stringify([tool, kind, age])
        const attributes = { 'gen_ai.tool.name': tool, 'holdpoint.hold.kind': kind, 'holdpoint.hold.age': age }
        found.set(key, { attributes, count: (found.get(key)?.count ?? 0) + 1 })
      }
      if (page.next === undefined) break
      after = page.next
    }
  return [...found.values()]
}

async function newsCount(store: Store): Promise<number> {
  let count = 0
  for (let after: string | undefined; count < MOST_NEWS;) {
    const news = await readNews(store, PAGE, after)
    count += news.length
    if (news.length < PAGE) break
    after = news.at(-1)?.id
  }
  return count
}
