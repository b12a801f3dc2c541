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
} from '@holdpoint/core'
import { fromColumn, toColumn } from './column-name.ts'

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

/** SQLite's limit is an integer, so an infinite limit is capped. */
const MAX_PAGE = 1_000_000

/** A condition and its parameters. */
type Where = readonly [sql: string, ...values: SQLInputValue[]]

interface Select {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export class Pages {
  readonly #db: DatabaseSync
  /** The number of combinations of conditions is small. */
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  pending(query: PendingQuery): Page<PendingRow> {
    const rows = this.#all<PendingCells>(this.#holds(query), 'heldAt, conv, callId', query.limit)
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
    const { tenant, agent, status } = query
    const after = readCursor(query.after, ['number'])
    const { index, where } = byStatus(status)
    const listed = select(
      `select c.k, c.id, c.agent, c.status, c.created_at as createdAt, b.seq, b.at as updatedAt
       from conversations c indexed by ${index}
       cross join batches b on b.conv = c.k and b.seq = (select max(seq) from batches where conv = c.k)`,
      [
        ['c.tenant = ?', toColumn(tenant)],
        ...given(after, (last) => ['c.k < ?', ...last]),
        ...given(agent, (name) => ['c.agent = ?', toColumn(name)]),
        ...where,
      ],
    )
    const rows = this.#all<ListCells>([listed], 'k desc', query.limit)
    return pageOf(rows, query.limit, {
      item: ({ id, agent: whose, status: is, seq, createdAt, updatedAt }) => ({
        id: fromColumn(id),
        agent: fromColumn(whose),
        status: is,
        seq,
        createdAt,
        updatedAt,
      }),
      place: ({ k }) => [k],
    })
  }

  /** One select per index that yields rows in order: of one conversation, one call, one tool, or of each kind. */
  #holds(query: PendingQuery): readonly Select[] {
    const { tenant, conversationId, callId, agent, tool, expiresBefore } = query
    const after = readCursor(query.after, ['number', 'number', 'string'])
    // `cross join` fixes the order of the tables.
    const from = (tables: string, kind: HoldKind | undefined): Select =>
      select(
        `select h.conv, h.call_id as callId, h.tool, h.kind, h.held_at as heldAt, h.expires_at as expiresAt, c.id, c.agent
         from ${tables}`,
        [
          ['h.tenant = ?', toColumn(tenant)],
          ...given(conversationId, (id) => ['c.tenant = ? and c.id = ?', toColumn(tenant), toColumn(id)]),
          ...given(after, (last) => ['(h.held_at, h.conv, h.call_id) > (?, ?, ?)', ...last]),
          ...given(callId, (id) => ['h.call_id = ?', toColumn(id)]),
          ...given(agent, (name) => ['c.agent = ?', toColumn(name)]),
          ...given(tool, (name) => ['h.tool = ?', toColumn(name)]),
          ...given(kind, (name) => ['h.kind = ?', name]),
          ...given(expiresBefore, (time) => ['h.expires_at < ?', time]),
        ],
      )
    if (conversationId !== undefined) return [from('conversations c cross join holds h on h.conv = c.k', query.kind)]
    const along = (index: string): string => `holds h indexed by ${index} cross join conversations c on c.k = h.conv`
    if (callId !== undefined) return [from(along('holds_of_call'), query.kind)]
    if (tool !== undefined) return [from(along('holds_of_tool'), query.kind)]
    const kinds = query.kind === undefined ? this.#kinds(toColumn(tenant)) : [query.kind]
    return kinds.map((kind) => from(along('holds_open'), kind))
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
  #all<T>(lists: readonly Select[], order: string, limit: number): T[] {
    const most = Math.min(limit, MAX_PAGE) + 1
    const ordered = lists.map(({ sql }) => `${sql} order by ${order} limit ?`)
    const values = lists.flatMap((list) => [...list.values, most])
    const [only] = ordered
    if (only === undefined) return []
    if (ordered.length === 1) return this.#prepare(only).all(...values) as T[]
    const merged = ordered.map((sql) => `select * from (${sql})`).join(' union all ')
    return this.#prepare(`${merged} order by ${order} limit ?`).all(...values, most) as T[]
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#db.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** Held and running conversations have partial indexes, whose condition the query must repeat. Most others are idle. */
function byStatus(status: ConversationStatus | undefined): {
  readonly index: string
  readonly where: readonly Where[]
} {
  if (status === 'held') return { index: 'conversations_held', where: [["c.status = 'held'"]] }
  if (status === 'running') return { index: 'conversations_running', where: [["c.status = 'running'"]] }
  return { index: 'conversations_newest', where: given(status, (name) => ['c.status = ?', name]) }
}

function select(from: string, where: readonly Where[]): Select {
  return {
    sql: `${from} where ${where.map(([condition]) => condition).join(' and ')}`,
    values: where.flatMap(([, ...values]) => values),
  }
}

function given<T>(value: T | undefined, where: (value: T) => Where): Where[] {
  return value === undefined ? [] : [where(value)]
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
