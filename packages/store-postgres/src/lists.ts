/** The lists across conversations of a tenant, page by page. Each page is read through an index. */
import {
  HoldpointError,
  type ConversationRow,
  type ConversationStatus,
  type HoldKind,
  type Page,
  type PendingRow,
  type Store,
} from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { joinConversation } from './join-conversation.ts'
import { fromStored, toStored } from './stored-name.ts'

type Lists = Pick<Store, 'pending' | 'list'>

/** Caps an infinite limit to a number that the server accepts. */
const MAX_ROWS = 1_000_000_000

/** The status is part of the SQL text, so that the planner can use partial indexes. Only these values are possible. */
const STATUS: Readonly<Record<ConversationStatus, string>> = { running: `'running'`, held: `'held'`, idle: `'idle'` }

export function openLists(schema: string, { read }: Connections): Lists {
  return {
    pending: async ({ tenant, conversationId, callId, agent, tool, kind, expiresBefore, after, limit }) => {
      const { values, bind } = binds()
      const tenantParam = bind(toStored(tenant))
      const where =
        conversationId === undefined
          ? [`h.tenant = ${tenantParam}`]
          : [
              `h.conv = (select k from ${schema}.conversations where tenant = ${tenantParam} and id = ${bind(toStored(conversationId))})`,
            ]
      if (callId !== undefined) where.push(`h.call_id = ${bind(toStored(callId))}`)
      if (agent !== undefined) where.push(`h.agent = ${bind(toStored(agent))}`)
      if (tool !== undefined) where.push(`h.tool = ${bind(toStored(tool))}`)
      if (kind !== undefined) where.push(`h.kind = ${bind(kind)}`)
      if (expiresBefore !== undefined) where.push(`h.expires_at < ${bind(expiresBefore)}`)
      if (after !== undefined) {
        const [heldAt, conv, callId] = readCursor(after, [isNumber, isKey, isText])
        const cursor = `${bind(heldAt)}::float8, ${bind(conv)}::bigint, ${bind(callId)}::text`
        where.push(`(h.held_at, h.conv, h.call_id) > (${cursor})`)
      }
      const rows = await read<HeldRow>({
        text: `select h.held_at, h.conv, h.call_id, h.tool, h.kind, h.expires_at, h.agent, c.id
          from ${schema}.holds h ${joinConversation(schema, 'h')}
          where h.open and ${where.join(' and ')}
          order by h.held_at, h.conv, h.call_id limit ${bind(Math.min(limit, MAX_ROWS) + 1)}`,
        values,
      })
      return pageOf(rows, limit, toPending, ({ held_at, conv, call_id }) => [held_at, conv, call_id])
    },

    list: async ({ tenant, agent, status, after, limit }) => {
      const { values, bind } = binds()
      // Conversations that are not idle are in the agenda.
      const busy = status !== undefined && status !== 'idle'
      const key = busy ? 'a.conv' : 'c.k'
      const tenantParam = bind(toStored(tenant))
      const where = [
        busy ? `a.tenant = ${tenantParam} and a.status = ${STATUS[status]}` : `c.k > 0 and c.tenant = ${tenantParam}`,
      ]
      if (!busy && status !== undefined) where.push(`c.status = ${STATUS[status]}`)
      if (agent !== undefined) where.push(`c.agent = ${bind(toStored(agent))}`)
      if (after !== undefined) where.push(`${key} < ${bind(readCursor(after, [isKey])[0])}`)
      const rows = await read<ListRow>({
        text: `select c.k, c.id, c.agent, c.status, c.head_seq, c.created_at, c.updated_at
          from ${busy ? `${schema}.agenda a ${joinConversation(schema, 'a')}` : `${schema}.conversations c`}
          where ${where.join(' and ')} order by ${key} desc limit ${bind(Math.min(limit, MAX_ROWS) + 1)}`,
        values,
      })
      return pageOf(rows, limit, toConversation, ({ k }) => [k])
    },
  }
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

interface ListRow {
  readonly k: number
  readonly id: string
  readonly agent: string
  readonly status: ConversationStatus
  readonly head_seq: number
  readonly created_at: number
  readonly updated_at: number
}

function toConversation(row: ListRow): ConversationRow {
  return {
    id: fromStored(row.id),
    agent: fromStored(row.agent),
    status: row.status,
    seq: row.head_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Collects bound parameters. Values are never inserted into the SQL text. */
function binds(): { readonly values: unknown[]; readonly bind: (value: unknown) => string } {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => readonly (number | string)[],
): Page<Item> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.map(toItem), next: last && JSON.stringify(cursorOf(last)) }
}

/** Validates the cursor, which comes from a client. */
function readCursor(after: string, shape: readonly ((value: unknown) => boolean)[]): readonly unknown[] {
  try {
    const cursor: unknown = JSON.parse(after)
    if (Array.isArray(cursor) && cursor.length === shape.length) {
      const values: readonly unknown[] = cursor
      if (shape.every((check, index) => check(values[index]))) return values
    }
  } catch {
    // Reported below.
  }
  throw new HoldpointError(
    'config-invalid',
    `after: ${JSON.stringify(after)} is not a valid cursor: use the \`next\` of a page.`,
  )
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isKey = (value: unknown): boolean => Number.isSafeInteger(value)
const isText = (value: unknown): boolean => typeof value === 'string' && toStored(fromStored(value)) === value
