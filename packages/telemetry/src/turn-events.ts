import type { Address, LogEvent, Store } from '@holdpoint/core'

const PAGE = 256

/** The events before a seq, from the start of the turn that is open there. None when no turn is. */
export async function turnEvents(store: Store, address: Address, before: number): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = []
  for (let first = before; first > 1;) {
    const older = await store.readBack(address, first, PAGE)
    if (older.length === 0) return []
    events.unshift(...older)
    first = older[0]?.seq ?? 1
    const start = events.findLastIndex(({ type }) => type === 'turn.started')
    if (start !== -1) return events.slice(start)
  }
  return []
}
