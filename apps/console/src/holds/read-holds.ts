/**
 * Reads open holds page by page, the oldest first, until enough of them match. The gateway restricts the list by view, kind
 * and agent. What it cannot restrict by is matched here: a text, and whether the reader approved the hold already.
 */
import type { HoldKind, HoldRow, HoldsFilter, ListOf } from '@holdpoint/client'

export interface FoundHolds {
  readonly holds: readonly HoldRow[]
  /** There may be more that match. */
  readonly more: boolean
}

export interface Reading {
  readonly list: (query: HoldsFilter) => Promise<ListOf<HoldRow>>
  readonly query: HoldsFilter
  /** One list for each kind. `undefined`: holds of every kind. */
  readonly kinds: readonly (HoldKind | undefined)[]
  readonly matches: (hold: HoldRow) => boolean
  /** How many matching holds are wanted. */
  readonly count: number
}

export const PAGE = 100
/** A text that few holds match must not read the whole tenant with each change. */
const MOST_PAGES = 20

/** The rest of a page, and where the next one begins. */
interface Source {
  readonly kind: HoldKind | undefined
  rows: readonly HoldRow[]
  after: string | undefined
  isRead: boolean
}

export async function readHolds({ list, query, kinds, matches, count }: Reading): Promise<FoundHolds> {
  const sources = kinds.map((kind): Source => ({ kind, rows: [], after: undefined, isRead: false }))
  const needsPage = ({ rows, isRead }: Source): boolean => rows.length === 0 && !isRead
  const readPage = async (source: Source): Promise<void> => {
    const { kind, after } = source
    const { items, next } = await list({
      ...query,
      limit: PAGE,
      ...(kind && { kind }),
      ...(after !== undefined && { after }),
    })
    Object.assign(source, { rows: items, after: next, isRead: next === undefined })
  }
  const holds: HoldRow[] = []
  let pages = 0
  for (;;) {
    const empty = sources.filter(needsPage)
    if (empty.length > 0) {
      if (pages >= MOST_PAGES) return { holds, more: true }
      pages += empty.length
      await Promise.all(empty.map(readPage))
      continue
    }
    const [oldest] = sources.filter(({ rows }) => rows.length > 0).toSorted((a, b) => heldAt(a) - heldAt(b))
    const [hold, ...rest] = oldest?.rows ?? []
    if (!oldest || !hold || holds.length >= count) return { holds, more: hold !== undefined }
    oldest.rows = rest
    if (matches(hold)) holds.push(hold)
  }
}

function heldAt({ rows: [first] }: Source): number {
  return first?.heldAt ?? Infinity
}
