/**
 * Who lives, what waits for somebody, and who drives. A node's lease is a row that ends at a time of the database's
 * clock; a conversation belongs to its owner as long as that lease lasts, and every change of hands makes a new epoch.
 */
import type { Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './options.ts'
import { fromStored, toStored } from './storable-text.ts'

type Ownership = Pick<Store, 'beat' | 'leave' | 'due' | 'claim'>

/** How long a node that said nothing more is remembered. It counts as gone long before. */
const FORGET_AFTER_MS = 3_600_000

export function openOwnership({ schema, clockOffset }: Settings, connections: Connections): Ownership {
  const { read } = connections

  return {
    beat: async (node, ttlMs) => {
      const [row] = await read<{ readonly now: number }>({
        name: 'beat',
        text: `with clock as materialized (select ${schema}.now_ms($3) as now),
          forgotten as (delete from ${schema}.nodes where node in (
            select node from ${schema}.nodes where until < (select now from clock) - $4::float8 and node <> $1
              for update skip locked))
          insert into ${schema}.nodes as n (node, until) select $1, now + $2 from clock
          on conflict (node) do update set until = excluded.until
          returning (select now from clock) as now`,
        values: [toStored(node), ttlMs, clockOffset(), FORGET_AFTER_MS],
      })
      return row!.now
    },

    leave: async (node) => {
      await read({ name: 'leave', text: `delete from ${schema}.nodes where node = $1`, values: [toStored(node)] })
    },

    due: async ({ agents, limit }) => {
      const rows = await read<DueRow>({
        text: agents ? dueText(schema) : anyDueText(schema),
        values: [limit, clockOffset(), ...(agents ? [[...new Set(agents)].map(toStored)] : [])],
      })
      const conversations = rows.flatMap(({ tenant, id }) =>
        tenant === null || id === null ? [] : [{ tenant: fromStored(tenant), id: fromStored(id) }],
      )
      return { conversations, next: rows[0]?.next ?? undefined }
    },

    claim: async ({ tenant, id }, node) => {
      const [row] = await read<{ readonly epoch: number }>({
        name: 'claim',
        text: `update ${schema}.conversations set owner = $3, epoch = epoch + (owner is distinct from $3)::int
          where k = (select k from ${schema}.conversations where tenant = $1 and id = $2) and status = 'running'
            and (owner is null or owner = $3 or not ${schema}.lives(owner, ${schema}.now_ms($4)))
          returning epoch`,
        values: [toStored(tenant), toStored(id), toStored(node), clockOffset()],
      })
      return row?.epoch
    },
  }
}

interface DueRow {
  readonly next: number | null
  readonly tenant: string | null
  readonly id: string | null
}

/** Each part is found through an index of its own; together they are cut to what was asked for, oldest first. */
function dueText(schema: string): string {
  return together(schema, {
    woken: `select c.k, c.tenant, c.id from unnest($3::text[]) a(agent) cross join lateral (
      select k, tenant, id from ${schema}.conversations
        where agent = a.agent and wake_at <= (select now from clock) order by wake_at limit $1
    ) c`,
    next: `select min(c.wake_at) as next from unnest($3::text[]) a(agent) cross join lateral (
      select wake_at from ${schema}.conversations
        where agent = a.agent and wake_at > (select now from clock) order by wake_at limit 1
    ) c`,
    ours: 'agent = any ($3::text[])',
  })
}

/** Of any agent: with the words that fit the index of all deadlines. */
function anyDueText(schema: string): string {
  return together(schema, {
    woken: `select k, tenant, id from ${schema}.conversations
      where k > 0 and wake_at <= (select now from clock) order by wake_at limit $1`,
    next: `select min(wake_at) as next from ${schema}.conversations where k > 0 and wake_at > (select now from clock)`,
    ours: 'true',
  })
}

interface Parts {
  readonly woken: string
  readonly next: string
  /** Which of those that run. */
  readonly ours: string
}

function together(schema: string, { woken, next, ours }: Parts): string {
  return `with clock as materialized (select ${schema}.now_ms($2) as now),
    woken as (${woken}),
    left_alone as (
      select k, tenant, id from ${schema}.conversations c
        where status = 'running' and ${ours} and not exists (
          select 1 from ${schema}.nodes n where n.node = c.owner and n.until > (select now from clock))
        order by k limit $1
    ),
    next as (${next})
    select n.next, d.tenant, d.id from next n
      left join (select * from woken union select * from left_alone order by k limit $1) d on true
      order by d.k`
}
