/** What is asked across the conversations of a tenant, page by page. A page is found through an index, however many follow. */
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
import { conversationOf } from './conversation-of.ts'
import { fromStored, toStored } from './storable-text.ts'

type Questions = Pick<Store, 'pending' | 'list'>

/** More than anybody means to read at once, and a number that the server takes. */
const MOST_ROWS = 1_000_000_000

/** In the text of the question and not beside it: it comes from outside, and only these are words of ours. */
const STATUS: Readonly<Record<ConversationStatus, string>> = { running: `'running'`, held: `'held'`, idle: `'idle'` }

export function openQuestions(schema: string, { read }: Connections): Questions {
  return {
    pending: async ({ tenant, conversationId, callId, agent, tool, kind, expiresBefore, after, limit }) => {
      const { values, bind } = binds()
      const holder = bind(toStored(tenant))
      const where =
        conversationId === undefined
          ? [`h.tenant = ${holder}`]
          : [
              `h.conv = (select k from ${schema}.conversations where tenant = ${holder} and id = ${bind(toStored(conversationId))})`,
            ]
      if (callId !== undefined) where.push(`h.call_id = ${bind(toStored(callId))}`)
      if (agent !== undefined) where.push(`h.agent = ${bind(toStored(agent))}`)
      if (tool !== undefined) where.push(`h.tool = ${bind(toStored(tool))}`)
      if (kind !== undefined) where.push(`h.kind = ${bind(kind)}`)
      if (expiresBefore !== undefined) where.push(`h.expires_at < ${bind(expiresBefore)}`)
      if (after !== undefined) {
        const [heldAt, conv, callId] = placeIn(after, [isNumber, isKey, isText])
        const place = `${bind(heldAt)}::float8, ${bind(conv)}::bigint, ${bind(callId)}::text`
        where.push(`(h.held_at, h.conv, h.call_id) > (${place})`)
      }
      const rows = await read<HeldRow>({
        text: `select h.held_at, h.conv, h.call_id, h.tool, h.kind, h.expires_at, h.agent, c.id
          from ${schema}.holds h ${conversationOf(schema, 'h')}
          where h.open and ${where.join(' and ')}
          order by h.held_at, h.conv, h.call_id limit ${bind(Math.min(limit, MOST_ROWS) + 1)}`,
        values,
      })
      return pageOf(rows, limit, toPending, ({ held_at, conv, call_id }) => [held_at, conv, call_id])
    },

    list: async ({ tenant, agent, status, after, limit }) => {
      const { values, bind } = binds()
      // Those that are not idle stand on the agenda.
      const busy = status !== undefined && status !== 'idle'
      const key = busy ? 'a.conv' : 'c.k'
      const holder = bind(toStored(tenant))
      const where = [
        busy ? `a.tenant = ${holder} and a.status = ${STATUS[status]}` : `c.k > 0 and c.tenant = ${holder}`,
      ]
      if (!busy && status !== undefined) where.push(`c.status = ${STATUS[status]}`)
      if (agent !== undefined) where.push(`c.agent = ${bind(toStored(agent))}`)
      if (after !== undefined) where.push(`${key} < ${bind(placeIn(after, [isKey])[0])}`)
      const rows = await read<ListRow>({
        text: `select c.k, c.id, c.agent, c.status, c.head_seq, c.created_at, c.updated_at
          from ${busy ? `${schema}.agenda a ${conversationOf(schema, 'a')}` : `${schema}.conversations c`}
          where ${where.join(' and ')} order by ${key} desc limit ${bind(Math.min(limit, MOST_ROWS) + 1)}`,
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

/** Every value of a question is bound, never written into it. */
function binds(): { readonly values: unknown[]; readonly bind: (value: unknown) => string } {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  placeOf: (row: Row) => readonly (number | string)[],
): Page<Item> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.map(toItem), next: last && JSON.stringify(placeOf(last)) }
}

/** A cursor has been outside, so it is looked at before it is believed. */
function placeIn(after: string, shape: readonly ((value: unknown) => boolean)[]): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(after)
    if (Array.isArray(place) && place.length === shape.length) {
      const values: readonly unknown[] = place
      if (shape.every((fits, index) => fits(values[index]))) return values
    }
  } catch {
    // Said below.
  }
  throw new HoldpointError('config-invalid', `after: ${JSON.stringify(after)} was not given by an earlier page.`)
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isKey = (value: unknown): boolean => Number.isSafeInteger(value)
const isText = (value: unknown): boolean => typeof value === 'string' && toStored(fromStored(value)) === value
