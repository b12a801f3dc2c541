/** The open holds of a tenant, page by page. Each page is read through an index. */
import type { HoldKind, PendingQuery, PendingRow, Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { joinConversation } from './join-conversation.ts'
import { binds, isKey, isNumber, isText, MAX_ROWS, pageOf, readCursor, type Bind } from './page.ts'
import { fromStored, toStored, toStoredLabel } from './stored-name.ts'

export function openPending(schema: string, { read }: Connections): Pick<Store, 'pending'> {
  return {
    pending: async (query) => {
      const { values, bind } = binds()
      const rows = await read<HeldRow>({ text: textOf(schema, query, bind), values })
      return pageOf(rows, query.limit, toPending, ({ held_at, conv, call_id }) => [held_at, conv, call_id])
    },
  }
}

function textOf(schema: string, query: PendingQuery, bind: Bind): string {
  const { conversationId, callId, any } = query
  const tenant = bind(toStored(query.tenant))
  const most = bind(Math.min(query.limit, MAX_ROWS) + 1)
  const filters = filtersOf(query, bind)
  const cursor = query.after === undefined ? undefined : cursorOf(query.after, bind)
  /** `ordered`: the table whose index yields the rows in order. */
  const page = (from: string, ordered: 'h' | 'l', conditions: readonly string[]): string => {
    const order = `${ordered}.held_at, ${ordered}.conv, ${ordered}.call_id`
    const where = [...conditions, 'h.open', 'not c.hidden', ...filters]
    if (cursor !== undefined) where.push(`(${order}) > (${cursor})`)
    return `select h.held_at, h.conv, h.call_id, h.tool, h.kind, h.expires_at, h.agent, c.id
      from ${from} where ${where.join(' and ')} order by ${order} limit ${most}`
  }
  const holds = `${schema}.holds h ${joinConversation(schema, 'h')}`
  if (conversationId !== undefined || callId !== undefined) {
    const where =
      conversationId === undefined
        ? [`h.tenant = ${tenant}`]
        : [
            `h.tenant = ${tenant}`,
            `h.conv = (select k from ${schema}.conversations where tenant = ${tenant} and id = ${bind(toStored(conversationId))})`,
          ]
    if (any) where.push(hasLabel(schema, any, tenant, bind))
    return page(holds, 'h', where)
  }
  if (!any) return page(holds, 'h', [`h.tenant = ${tenant}`])
  const labelled = `${schema}.hold_labels l
    cross join lateral (select * from ${schema}.holds where tenant = l.tenant and call_id = l.call_id and conv = l.conv offset 0) h
    ${joinConversation(schema, 'l')}`
  const one = page(labelled, 'l', [`l.tenant = ${tenant} and l.own = w.own and l.label = w.label`])
  return `select distinct p.* from ${labelsOf(any, bind)} w(own, label) cross join lateral (${one}) p
    order by held_at, conv, call_id limit ${most}`
}

function filtersOf({ callId, agent, tool, kind, expiresBefore }: PendingQuery, bind: Bind): string[] {
  const filters: string[] = []
  if (callId !== undefined) filters.push(`h.call_id = ${bind(toStored(callId))}`)
  if (agent !== undefined) filters.push(`h.agent = ${bind(toStored(agent))}`)
  if (tool !== undefined) filters.push(`h.tool = ${bind(toStored(tool))}`)
  if (kind !== undefined) filters.push(`h.kind = ${bind(kind)}`)
  if (expiresBefore !== undefined) filters.push(`h.expires_at < ${bind(expiresBefore)}`)
  return filters
}

function cursorOf(after: string, bind: Bind): string {
  const [heldAt, conv, callId] = readCursor(after, [isNumber, isKey, isText])
  return `${bind(heldAt)}::float8, ${bind(conv)}::bigint, ${bind(callId)}::text`
}

type Any = NonNullable<PendingQuery['any']>

/** Whether a hold has one of the labels, for the few holds of a conversation or a call. */
function hasLabel(schema: string, { labels, conversationLabels }: Any, tenant: string, bind: Bind): string {
  const [own, others] = [bind(labels.map(toStoredLabel)), bind(conversationLabels.map(toStoredLabel))]
  return `exists (
    select 1 from ${schema}.hold_labels l where l.tenant = ${tenant} and l.conv = h.conv and l.call_id = h.call_id
      and (l.own and l.label = any(${own}::text[]) or not l.own and l.label = any(${others}::text[]))
  )`
}

/** A table of the labels to look under. */
function labelsOf({ labels, conversationLabels }: NonNullable<PendingQuery['any']>, bind: Bind): string {
  const all = [...labels, ...conversationLabels].map(toStoredLabel)
  const own = [...labels.map(() => true), ...conversationLabels.map(() => false)]
  return `unnest(${bind(own)}::boolean[], ${bind(all)}::text[])`
}

interface HeldRow {
  readonly held_at: number
  readonly conv: number
  readonly call_id: string
  readonly tool: string
  readonly kind: HoldKind
  readonly expires_at: number
  readonly agent: string
  readonly id: string
}

function toPending(row: HeldRow): PendingRow {
  return {
    callId: fromStored(row.call_id),
    tool: fromStored(row.tool),
    kind: row.kind,
    heldAt: row.held_at,
    expiresAt: row.expires_at,
    conversationId: fromStored(row.id),
    agent: fromStored(row.agent),
  }
}
