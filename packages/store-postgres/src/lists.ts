/** The lists of conversations, page by page. Each page is read through an index. */
import type { ConversationRow, ConversationStatus, Store, TenantUsage, WalkedConversation } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { joinConversation } from './join-conversation.ts'
import { binds, isKey, isText, MAX_ROWS, pageOf, readCursor } from './page.ts'
import { fromStored, toStored, toStoredLabel } from './stored-name.ts'

type Lists = Pick<Store, 'list' | 'usage' | 'walk'>

/** The status is part of the SQL text, so that the planner can use partial indexes. Only these values are possible. */
const STATUS: Readonly<Record<ConversationStatus, string>> = { running: `'running'`, held: `'held'`, idle: `'idle'` }

export function openLists(schema: string, { read }: Connections): Lists {
  return {
    list: async ({ tenant, agent, status, labels, after, limit }) => {
      const { values, bind } = binds()
      const tenantParam = bind(toStored(tenant))
      const most = bind(Math.min(limit, MAX_ROWS) + 1)
      const before = after === undefined ? undefined : bind(readCursor(after, [isKey])[0])
      const page = (from: string, key: string, conditions: readonly string[]): string => {
        const where = [...conditions, 'not c.hidden']
        if (agent !== undefined) where.push(`c.agent = ${bind(toStored(agent))}`)
        if (before !== undefined) where.push(`${key} < ${before}`)
        return `select c.k, c.id, c.agent, c.status, c.head_seq, c.created_at, c.updated_at
          from ${from} where ${where.join(' and ')} order by ${key} desc limit ${most}`
      }
      const ofStatus = status === undefined ? [] : [`c.status = ${STATUS[status]}`]
      const ofTenant = `tenant = ${tenantParam}`
      let text
      if (labels) {
        const labelled = `${schema}.conversation_labels l ${joinConversation(schema, 'l')}`
        const one = page(labelled, 'l.conv', [`l.${ofTenant} and l.label = w.label`, ...ofStatus])
        const wanted = bind(labels.map(toStoredLabel))
        text = `select distinct p.* from unnest(${wanted}::text[]) w(label) cross join lateral (${one}) p
          order by k desc limit ${most}`
      } else if (status === undefined || status === 'idle') {
        text = page(`${schema}.conversations c`, 'c.k', [`c.${ofTenant}`, ...ofStatus])
      } else {
        // Conversations that are not idle are in the agenda.
        const busy = `${schema}.agenda a ${joinConversation(schema, 'a')}`
        text = page(busy, 'a.conv', [`a.${ofTenant} and a.status = ${STATUS[status]}`])
      }
      return pageOf(await read<ListRow>({ text, values }), limit, toConversation, ({ k }) => [k])
    },

    walk: async ({ after, limit }) => {
      const [tenant, k] = after === undefined ? ['', 0] : readCursor(after, [isText, isKey])
      const rows = await read<ListRow & { readonly tenant: string }>({
        name: 'walk',
        text: `select k, tenant, id, agent, status, head_seq, created_at, updated_at from ${schema}.conversations
          where not hidden and (tenant, k) > ($1::text, $2::bigint) order by tenant, k limit $3`,
        values: [tenant, k, Math.min(limit, MAX_ROWS) + 1],
      })
      const toItem = (row: (typeof rows)[number]): WalkedConversation => ({
        tenant: fromStored(row.tenant),
        ...toConversation(row),
      })
      return pageOf(rows, limit, toItem, (row) => [row.tenant, row.k])
    },

    usage: async (tenant) => {
      const [row] = await read<TenantUsage>({
        name: 'usage',
        text: `select count(*) filter (where not hidden) as conversations, coalesce(sum(bytes), 0)::float8 as bytes
          from ${schema}.conversations where tenant = $1`,
        values: [toStored(tenant)],
      })
      return row ?? { conversations: 0, bytes: 0 }
    },
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
