/** The lists across conversations, page by page. A page starts after the last row of the previous one. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  HoldpointError,
  type ConversationRow,
  type ConversationStatus,
  type HoldKind,
  type ListQuery,
  type Page,
  type PendingQuery,
  type PendingRow,
  type WalkedConversation,
} from '@holdpoint/core'
import { fromColumn, toColumn } from './column-name.ts'
import { conversationSelects, holdSelects, walkSelect, type Select } from './page-selects.ts'

interface PendingCells {
  readonly conv: number
  readonly callId: string
  readonly tool: string
  readonly kind: HoldKind
  readonly heldAt: number
  readonly expiresAt: number
  readonly id: string
  readonly agent: string
}

interface ListCells {
  readonly k: number
  readonly id: string
  readonly agent: string
  readonly status: ConversationStatus
  readonly createdAt: number
  readonly seq: number
  readonly updatedAt: number
}

interface WalkCells extends ListCells {
  readonly tenant: string
  readonly hidden: number
}

/** SQLite's limit is an integer, so an infinite limit is capped. */
const MAX_PAGE = 1_000_000

export class Pages {
  readonly #db: DatabaseSync
  /** The number of combinations of conditions is small. */
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  pending(query: PendingQuery): Page<PendingRow> {
    const after = readCursor(query.after, ['number', 'number', 'string'])
    const selects = holdSelects(query, after, () => this.#kinds(toColumn(query.tenant)))
    const rows = this.#merged<PendingCells>(selects, query.limit, byAge)
    return pageOf(rows, query.limit, {
      item: ({ callId, tool: name, kind: is, heldAt, expiresAt, id, agent: whose }) => ({
        callId: fromColumn(callId),
        tool: fromColumn(name),
        kind: is,
        heldAt,
        expiresAt,
        conversationId: fromColumn(id),
        agent: fromColumn(whose),
      }),
      place: ({ heldAt, conv, callId }) => [heldAt, conv, callId],
    })
  }

  list(query: ListQuery): Page<ConversationRow> {
    const after = readCursor(query.after, ['number'])
    const rows = this.#merged<ListCells>(conversationSelects(query, after), query.limit, (a, b) => b.k - a.k)
    return pageOf(rows, query.limit, {
      item: toRow,
      place: ({ k }) => [k],
    })
  }

  walk({ after, limit }: { readonly after?: string; readonly limit: number }): Page<WalkedConversation> {
    const rows = this.#merged<WalkCells>([walkSelect(readCursor(after, ['number']))], limit, (a, b) => a.k - b.k)
    const page = pageOf(rows, limit, { item: (row) => row, place: ({ k }) => [k] })
    const shown = page.items.filter(({ hidden }) => hidden === 0)
    return { ...page, items: shown.map((row) => ({ tenant: fromColumn(row.tenant), ...toRow(row) })) }
  }

  /** The kinds of open holds. Skips along the index from kind to kind. */
  #kinds(tenant: string): readonly HoldKind[] {
    const next = this.#prepare('select min(kind) as kind from holds where tenant = ? and kind > ?')
    const kinds: HoldKind[] = []
    for (;;) {
      const { kind } = next.get(tenant, kinds.at(-1) ?? '') as { kind: HoldKind | null }
      if (kind === null) return kinds
      kinds.push(kind)
    }
  }

  /** Reads one row more than the page, to know whether there is another page. Several selects are merged in order. */
  #merged<Cells>(lists: readonly Select[], limit: number, compare: (a: Cells, b: Cells) => number): Cells[] {
    const most = Math.min(limit, MAX_PAGE) + 1
    const read = (): Cells[][] => lists.map(({ sql, values }) => this.#prepare(sql).all(...values, most) as Cells[])
    const [first = [], ...others] = lists.length > 1 ? this.#atOnce(read) : read()
    if (others.length === 0) return first
    const sorted = [...first, ...others.flat()].toSorted(compare)
    return sorted.filter((row, nth) => nth === 0 || compare(sorted[nth - 1]!, row) < 0).slice(0, most)
  }

  /** In one transaction: a row that gets another label between two selects would be missed by both. */
  #atOnce<T>(read: () => T): T {
    this.#db.exec('begin')
    try {
      return read()
    } finally {
      this.#db.exec('commit')
    }
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#db.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

function toRow({ id, agent, status, seq, createdAt, updatedAt }: ListCells): ConversationRow {
  return { id: fromColumn(id), agent: fromColumn(agent), status, seq, createdAt, updatedAt }
}

/** The order of `order by`, which compares text by its bytes. */
function byAge(a: PendingCells, b: PendingCells): number {
  return a.heldAt - b.heldAt || a.conv - b.conv || Buffer.compare(Buffer.from(a.callId), Buffer.from(b.callId))
}

function pageOf<Cells, Item>(
  rows: readonly Cells[],
  limit: number,
  { item, place }: { readonly item: (row: Cells) => Item; readonly place: (row: Cells) => readonly SQLInputValue[] },
): Page<Item> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.map(item), next: last && JSON.stringify(place(last)) }
}

/** Validates the cursor, which comes from a client. */
function readCursor(after: string | undefined, types: readonly string[]): readonly SQLInputValue[] | undefined {
  if (after === undefined) return undefined
  const place = parse(after)
  if (Array.isArray(place) && place.length === types.length && types.every((type, at) => typeof place[at] === type)) {
    return place as SQLInputValue[]
  }
  throw new HoldpointError('config-invalid', `"${after}" is not a valid cursor: use the \`next\` of a page.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
