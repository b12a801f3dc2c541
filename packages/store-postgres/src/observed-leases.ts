/**
 * Finds nodes that are gone although their lease says otherwise: the database's clock was set back, or a server with another
 * clock took over. A lease that nothing renewed for its length, by the clock of this process that no step changes, has ended.
 */
export interface ObservedLeases {
  /** The rows of other nodes, and the database's time when they were read. Returns those that have ended. */
  ended(rows: readonly LeaseRow[], databaseNow: number, ownTtlMs: number): readonly LeaseRow[]
}

export interface LeaseRow {
  readonly node: string
  readonly until: number
}

/** A lease that seems longer than this is taken for one of another clock. */
const LONGEST_MS = 120_000

export function observeLeases(now: () => number = () => performance.now()): ObservedLeases {
  let known = new Map<string, { readonly until: number; readonly since: number; readonly ttlMs: number | undefined }>()
  return {
    ended: (rows, databaseNow, ownTtlMs) => {
      const before = known
      known = new Map()
      return rows.filter(({ node, until }) => {
        const last = before.get(node)
        const left = until - databaseNow
        const ttlMs = left > 0 && left <= LONGEST_MS ? Math.max(left, last?.ttlMs ?? 0) : last?.ttlMs
        const renewed = last?.until !== until
        const since = last === undefined || renewed ? now() : last.since
        known.set(node, { until, since, ttlMs })
        return now() - since >= Math.max(ownTtlMs, ttlMs ?? LONGEST_MS)
      })
    },
  }
}
