import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address, Store } from '@holdpoint/core/internal/log/store'

const PAGE = 1000

/** Every event of a log, in memory at once: only for logs that are copied or replayed. */
export async function wholeLog(store: Store, from: Address): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = []
  for (;;) {
    const page = await store.read(from, events.at(-1)?.seq ?? 0, PAGE)
    if (page.length === 0) return events
    events.push(...page)
  }
}
