/**
 * Leases of nodes, owners of conversations, and conversations that need a driver. A lease is a row that expires by the
 * database's clock, or when other nodes have seen it unchanged for its length. A conversation belongs to its owner while the
 * lease lasts. Every change of owner starts a new epoch.
 */
import type { Store } from '@holdpoint/core'
import { agentsWithDeadlines } from './agents-with-deadlines.ts'
import type { Connections } from './connections.ts'
import { joinConversation } from './join-conversation.ts'
import { observeLeases, type LeaseRow } from './observed-leases.ts'
import type { Settings } from './settings.ts'
import { fromStored, toStored } from './stored-name.ts'

type Ownership = Pick<Store, 'beat' | 'leave' | 'due' | 'takeOver'>

/** When the row of an expired lease is deleted. The node counts as dead long before. */
const DELETE_AFTER_MS = 3_600_000

export function openOwnership({ schema, clockOffset }: Settings, connections: Connections): Ownership {
  const { read } = connections
  const leases = observeLeases()
  const end = (rows: readonly LeaseRow[]): Promise<unknown> =>
    read({
      name: 'end leases',
      // A lease that was renewed meanwhile stays.
      text: `delete from ${schema}.nodes where (node, until) in (select * from unnest($1::text[], $2::float8[]))`,
      values: [rows.map(({ node }) => node), rows.map(({ until }) => until)],
    })

  return {
    beat: async (node, ttlMs) => {
      const [row] = await read<BeatRow>({
        name: 'beat',
        // A lease that is lost with the primary ends a little early, and one that waits for a standby would lapse.
        text: `with clock as materialized (
            select ${schema}.now_ms($3) as now, set_config('synchronous_commit', 'off', true)
          ),
          forgotten as (delete from ${schema}.nodes where node in (
            select node from ${schema}.nodes where until < (select now from clock) - $4::float8 and node <> $1
              for update skip locked))
          insert into ${schema}.nodes as n (node, until) select $1, now + $2 from clock
          on conflict (node) do update set until = excluded.until
          returning (select now from clock) as now,
            (select json_agg(json_build_object('node', node, 'until', until)) from ${schema}.nodes where node <> $1) as others`,
        values: [toStored(node), ttlMs, clockOffset(), DELETE_AFTER_MS],
      })
      const ended = leases.ended(row!.others ?? [], row!.now, ttlMs)
      if (ended.length > 0) await end(ended)
      return row!.now
    },

    leave: async (node) => {
      await read({ name: 'leave', text: `delete from ${schema}.nodes where node = $1`, values: [toStored(node)] })
    },

    due: async ({ agents, limit }) => {
      const rows = await read<DueRow>({
        text: dueText(schema, agents !== undefined),
        values: [limit, clockOffset(), ...(agents ? [[...new Set(agents)].map(toStored)] : [])],
      })
      const conversations = rows.flatMap(({ tenant, id }) =>
        tenant === null || id === null ? [] : [{ tenant: fromStored(tenant), id: fromStored(id) }],
      )
      return { conversations, next: rows[0]?.next ?? undefined }
    },

    takeOver: async ({ tenant, id }, node) => {
      const [row] = await read<{ readonly epoch: number }>({
        name: 'takeOver',
        text: `update ${schema}.conversations set owner = $3, epoch = epoch + (owner is distinct from $3)::int
          where tenant = $1 and id = $2 and status = 'running'
            and (owner is null or owner = $3 or not ${schema}.node_alive(owner, ${schema}.now_ms($4)))
          returning epoch`,
        values: [toStored(tenant), toStored(id), toStored(node), clockOffset()],
      })
      return row?.epoch
    },
  }
}

interface BeatRow {
  readonly now: number
  readonly others: readonly LeaseRow[] | null
}

interface DueRow {
  readonly next: number | null
  readonly tenant: string | null
  readonly id: string | null
}

/** Each part uses its own index. The union is cut to the limit, oldest first. */
function dueText(schema: string, named: boolean): string {
  return `with clock as materialized (select ${schema}.now_ms($2) as now),
    agents as materialized (${named ? 'select unnest($3::text[]) as agent' : agentsWithDeadlines(schema)}),
    woken as (
      select a.tenant, a.conv from agents cross join lateral (
        select tenant, conv from ${schema}.agenda
          where agent = agents.agent and wake_at <= (select now from clock) order by wake_at limit $1
      ) a
    ),
    unowned as (
      select a.tenant, a.conv from ${schema}.agenda a ${joinConversation(schema, 'a')}
        where a.status = 'running' ${named ? 'and a.agent = any ($3::text[])' : ''} and not exists (
          select 1 from ${schema}.nodes n where n.node = c.owner and n.until > (select now from clock))
        order by a.conv limit $1
    ),
    next as (
      select min(a.wake_at) as next from agents cross join lateral (
        select wake_at from ${schema}.agenda /* all tenants */
          where agent = agents.agent and wake_at > (select now from clock) order by wake_at limit 1
      ) a
    ),
    due as (
      select d.conv, c.tenant, c.id
        from (select * from woken union select * from unowned order by conv limit $1) d ${joinConversation(schema, 'd')}
    )
    select n.next, d.tenant, d.id from next n left join due d on true order by d.conv`
}
