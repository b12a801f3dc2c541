/**
 * The selects behind a page: one per index, or per label, that yields rows in the order of the page. `cross join` fixes the
 * order of the tables.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { ConversationStatus, HoldKind, ListQuery, PendingQuery } from '@holdpoint/core'
import { toColumn } from './column-name.ts'
import { OF_CONVERSATION, OF_HOLD } from './labels.ts'

/** A condition and its parameters. */
type Where = readonly [sql: string, ...values: SQLInputValue[]]

/** One select, whose last parameter is the limit. */
export interface Select {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Where a page starts: after this row. */
export type After = readonly SQLInputValue[] | undefined

export function conversationSelects({ tenant, agent, status, labels }: ListQuery, after: After): readonly Select[] {
  const from = (tables: string, k: string, where: readonly Where[]): Select =>
    select(
      `select c.k, c.id, c.agent, c.status, c.created_at as createdAt, b.seq, b.at as updatedAt from ${tables}
       cross join batches b on b.conv = c.k and b.seq = (select max(seq) from batches where conv = c.k)`,
      [
        ...where,
        ['c.hidden = 0'],
        ...given(after, (last) => [`${k} < ?`, ...last]),
        ...given(agent, (name) => ['c.agent = ?', toColumn(name)]),
      ],
      `${k} desc`,
    )
  if (labels === undefined) {
    const { index, where } = byStatus(status)
    return [from(`conversations c indexed by ${index}`, 'c.k', [['c.tenant = ?', toColumn(tenant)], ...where])]
  }
  return distinct(labels).map((label) =>
    from('conversation_labels l cross join conversations c on c.k = l.conv', 'l.conv', [
      ['l.tenant = ? and l.label = ?', toColumn(tenant), label],
      ...given(status, (name) => ['c.status = ?', name]),
    ]),
  )
}

/** Of all tenants. The slice is taken before hidden rows are left out, so that a page of them costs no more than another. */
export function walkSelect(after: After): Select {
  return {
    sql: `select c.k, c.tenant, c.id, c.agent, c.status, c.hidden, c.created_at as createdAt, b.seq, b.at as updatedAt
      from conversations c
      cross join batches b on b.conv = c.k and b.seq = (select max(seq) from batches where conv = c.k)
      where c.k > ? order by c.k limit ?`,
    values: after ?? [0],
  }
}

/** Of one conversation, one call, each label, one tool, or each kind of open holds. */
export function holdSelects(
  query: PendingQuery,
  after: After,
  kindsOfTenant: () => readonly HoldKind[],
): readonly Select[] {
  const { tenant, conversationId, callId, agent, tool, kind, expiresBefore, any } = query
  /** `ordered`: the table whose index yields the rows in order. */
  const from = (tables: string, ordered: 'h' | 'l', where: readonly Where[]): Select => {
    const place = `${ordered}.held_at, ${ordered}.conv, ${ordered}.call_id`
    return select(
      `select h.conv, h.call_id as callId, h.tool, h.kind, h.held_at as heldAt, h.expires_at as expiresAt, c.id, c.agent
       from ${tables}`,
      [
        ...where,
        ['h.tenant = ? and c.hidden = 0', toColumn(tenant)],
        ...given(after, (last) => [`(${place}) > (?, ?, ?)`, ...last]),
        ...given(callId, (id) => ['h.call_id = ?', toColumn(id)]),
        ...given(agent, (name) => ['c.agent = ?', toColumn(name)]),
        ...given(tool, (name) => ['h.tool = ?', toColumn(name)]),
        ...given(expiresBefore, (time) => ['h.expires_at < ?', time]),
      ],
      place,
    )
  }
  const ofKind = given(kind, (name): Where => ['h.kind = ?', name])
  const along = (index: string): string => `holds h indexed by ${index} cross join conversations c on c.k = h.conv`
  if (conversationId !== undefined) {
    const address: Where = ['c.tenant = ? and c.id = ?', toColumn(tenant), toColumn(conversationId)]
    return [from('conversations c cross join holds h on h.conv = c.k', 'h', [address, ...ofKind, ...labelled(any)])]
  }
  if (callId !== undefined) return [from(along('holds_of_call'), 'h', [...ofKind, ...labelled(any)])]
  if (any) {
    return labelsOf(any).map(([own, label]) =>
      from(
        `hold_labels l cross join holds h on h.conv = l.conv and h.call_id = l.call_id
         cross join conversations c on c.k = l.conv`,
        'l',
        [['l.tenant = ? and l.own = ? and l.label = ?', toColumn(tenant), own, label], ...ofKind],
      ),
    )
  }
  if (tool !== undefined) return [from(along('holds_of_tool'), 'h', ofKind)]
  const kinds = kind === undefined ? kindsOfTenant() : [kind]
  return kinds.map((name) => from(along('holds_open'), 'h', [['h.kind = ?', name]]))
}

type Any = NonNullable<PendingQuery['any']>

function labelsOf({ labels, conversationLabels }: Any): readonly (readonly [own: number, label: string])[] {
  return [
    ...distinct(labels).map((label) => [OF_HOLD, label] as const),
    ...distinct(conversationLabels).map((label) => [OF_CONVERSATION, label] as const),
  ]
}

/** Whether a hold has one of the labels, for the few holds of a conversation or a call. */
function labelled(any: Any | undefined): readonly Where[] {
  if (!any) return []
  const labels = labelsOf(any)
  if (labels.length === 0) return [['false']]
  const wanted = labels.map(() => '(?, ?)').join(', ')
  return [
    [
      `exists(select 1 from hold_labels l where l.tenant = h.tenant and (l.own, l.label) in (values ${wanted})
       and l.held_at = h.held_at and l.conv = h.conv and l.call_id = h.call_id)`,
      ...labels.flat(),
    ],
  ]
}

function distinct(labels: readonly string[]): readonly string[] {
  return [...new Set(labels.map(toColumn))]
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

function select(from: string, where: readonly Where[], order: string): Select {
  return {
    sql: `${from} where ${where.map(([condition]) => condition).join(' and ')} order by ${order} limit ?`,
    values: where.flatMap(([, ...values]) => values),
  }
}

function given<T>(value: T | undefined, where: (value: T) => Where): Where[] {
  return value === undefined ? [] : [where(value)]
}
