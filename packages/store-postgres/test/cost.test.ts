/** The cost of a query is the number of rows it reads, which does not depend on the machine's load. */
import type { PendingQuery, Store } from '@holdpoint/core'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { Connections } from '../src/connections.ts'
import { openOwnership } from '../src/ownership.ts'
import { settingsOf } from '../src/settings.ts'
import { openLists } from '../src/lists.ts'
import { openPending } from '../src/pending.ts'
import { draft, hold, type Draft } from './draft.ts'
import { testSchema, written, type TestSchema } from './kit.ts'

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Node Type': string
  readonly Plans?: readonly Plan[]
}

/** Runs the store's own statements with EXPLAIN. */
async function explained(
  here: TestSchema,
  ask: (store: Pick<Store, 'pending' | 'list' | 'walk' | 'due'>) => Promise<unknown>,
): Promise<number> {
  const client = new pg.Client(here.url)
  await client.connect()
  await client.query('set enable_seqscan = off')
  let rows = 0
  const read = async ({ text, values }: { text: string; values: unknown[] }): Promise<never[]> => {
    const answer = await client.query(`explain (analyze, format json) ${text}`, values)
    rows += seen((answer.rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
    return []
  }
  const connections = { read } as unknown as Connections
  const settings = settingsOf(here.url, { schema: here.schema })
  const lists = { ...openLists(here.schema, connections), ...openPending(here.schema, connections) }
  await ask({ ...lists, ...openOwnership(settings, connections) }).catch(() => {})
  await client.end()
  return rows
}

function seen(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + seen(child), 0)
}

/** Open holds in conversations of 10 each. One in a thousand has a rare property. */
async function fill({ sql, schema }: TestSchema, holds: number, status = 'held'): Promise<void> {
  await sql(`insert into ${schema}.conversations
      (tenant, id, agent, head_seq, epoch, status, wake_at, created_at, updated_at)
    select '', 'c' || n, case when n % 100 = 0 then 'rare' else 'desk' end, 1, 0, '${status}', 4e12 + n, n, n
      from generate_series(1, ${holds / 10}) n`)
  await sql(`insert into ${schema}.agenda (tenant, conv, agent, status, wake_at)
    select tenant, k, agent, status, wake_at from ${schema}.conversations`)
  await sql(`insert into ${schema}.holds (conv, call_id, tenant, agent, tool, kind, open, held_at, expires_at, seqs)
    select c.k, 'call ' || n, '', c.agent,
        case when c.agent = 'rare' and n = 1 then 'rare' else 'pay' end,
        case when c.agent = 'rare' and n = 1 then 'approval' else 'external' end,
        true, c.k * 10 + n, 4e12, '1'
      from ${schema}.conversations c, generate_series(1, 10) n`)
  // Every conversation is shown to all, every tenth to ada, and those of the rare agent to bob.
  await sql(`insert into ${schema}.conversation_labels (tenant, conv, label)
    select tenant, k, label from ${schema}.conversations,
      unnest(array['=all', case when k % 10 = 0 then '=ada' end, case when agent = 'rare' then '=bob' end]) label
      where label is not null`)
  await sql(`insert into ${schema}.hold_labels (tenant, conv, call_id, own, label, held_at)
    select h.tenant, h.conv, h.call_id, own, l.label, h.held_at
      from ${schema}.holds h join ${schema}.conversation_labels l on l.conv = h.conv, unnest(array[true, false]) own`)
}

async function analyze({ sql, schema }: TestSchema): Promise<void> {
  await sql(
    `analyze ${schema}.conversations, ${schema}.agenda, ${schema}.holds, ${schema}.conversation_labels, ${schema}.hold_labels`,
  )
}

const QUESTIONS: Readonly<Record<string, Partial<PendingQuery>>> = {
  'the first page': {},
  'of one agent': { agent: 'rare' },
  'of one tool': { tool: 'rare' },
  'of one kind': { kind: 'approval' },
  'of one conversation': { conversationId: 'c7' },
  'of one call': { callId: 'call 7', conversationId: 'c7' },
  'for one label': { any: { labels: ['bob'], conversationLabels: [] } },
  'for labels of both kinds': { any: { labels: ['ada', 'all'], conversationLabels: ['bob', 'all', 'eve'] } },
  'for a label, of one conversation': { any: { labels: ['all'], conversationLabels: [] }, conversationId: 'c7' },
  'for a label, a later page': {
    any: { labels: ['all'], conversationLabels: [] },
    after: JSON.stringify([500, 1, 'x']),
  },
  'a later page': { after: JSON.stringify([500, 1, 'x']) },
}

test('a page of pending holds costs the same with 100,000 open holds as with 1,000', async () => {
  const [few, many] = [await testSchema(), await testSchema()]
  for (const here of [few, many]) await (await here.open()).close()
  await fill(few, 1000)
  await fill(many, 100_000)
  for (const here of [few, many]) await analyze(here)
  for (const [what, query] of Object.entries(QUESTIONS)) {
    const costs = []
    for (const here of [few, many]) {
      costs.push(await explained(here, ({ pending }) => pending({ tenant: '', limit: 20, ...query })))
    }
    expect(costs[0], what).toBeGreaterThan(0)
    expect(costs[1], `${what}: ${costs.join(' and then ')} rows`).toBeLessThan(200 * (query.any ? 5 : 1))
  }
  const lists = [{}, { status: 'held' }, { labels: ['all', 'ada'] }, { labels: ['bob'], status: 'held' }] as const
  for (const query of lists) {
    const cost = await explained(many, ({ list }) => list({ tenant: '', limit: 20, ...query }))
    expect(cost, JSON.stringify(query)).toBeLessThan(20 * 20)
  }
  expect(await explained(many, ({ walk }) => walk({ limit: 20 }))).toBeLessThan(200)
  expect(await explained(many, ({ due }) => due({ agents: ['desk', 'rare'], limit: 20 }))).toBeLessThan(200)
  expect(await explained(many, ({ due }) => due({ limit: 20 }))).toBeLessThan(200)
})

test('a query on new tables without statistics reads each conversation once', async () => {
  const here = await testSchema()
  await (await here.open()).close()
  await here.sql(`alter table ${here.schema}.conversations set (autovacuum_enabled = off)`)
  await fill(here, 10_000, 'running')
  const most = 20 * 1000
  expect(await explained(here, ({ list }) => list({ tenant: '', limit: 2000, status: 'running' }))).toBeLessThan(most)
  expect(await explained(here, ({ due }) => due({ limit: 2000 }))).toBeLessThan(most)
  expect(await explained(here, ({ pending }) => pending({ tenant: '', limit: 1000 }))).toBeLessThan(10 * most)
})

test('a plan that is cached while the tables are empty finds a conversation by its index', async () => {
  const { open, sql, schema } = await testSchema()
  await open()
  const text = `explain select k from ${schema}.conversations where tenant = $1 and id = $2 for update`
  const plan = await sql<{ 'QUERY PLAN': string }>(text, ['', 'c'])
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('conversations_tenant_id_key')
})

test.each([
  ['empty', false],
  ['almost empty, and counted', true],
] as const)(
  'an append looks at its own rows among 100,000, with plans made while the tables were %s',
  async (_, counted) => {
    const here = await testSchema()
    const { schema, sql } = here
    const looked = async (): Promise<number> => {
      const [row] = await sql<{ n: string }>(
        `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as n from pg_stat_user_tables where schemaname = $1`,
        [schema],
      )
      return Number(row?.n)
    }
    const store = await here.open()
    for (const table of ['conversations', 'agenda', 'holds', 'batches', 'keys'])
      await sql(`alter table ${schema}.${table} set (autovacuum_enabled = off)`)
    const appends = async (ids: readonly string[], seq: number, given: Draft): Promise<unknown> => {
      const writes = ids.map((id) => draft(id, seq, { ...given, key: `key ${seq}` }))
      await Promise.all(writes.map((write) => written(store, write)))
      // Repeats the write, as a caller does whose answer was lost.
      return Promise.all(writes.map((write) => written(store, write)))
    }
    for (const ids of [['a', 'b'], ['c'], ['d'], ['e']]) {
      await appends(ids, 0, { status: 'held', wakeAt: 4e12, holds: [hold('first')] })
      if (counted)
        await sql(
          `analyze ${schema}.conversations, ${schema}.agenda, ${schema}.holds, ${schema}.batches, ${schema}.keys`,
        )
      await appends(ids.slice(-1), 1, { status: 'running', holds: [hold('first', { open: false })] })
      await appends(ids.slice(-1), 2, { agent: 'rare' })
    }
    await sql(`delete from ${schema}.agenda; delete from ${schema}.holds`)
    await fill(here, 100_000)
    await sql(
      `insert into ${schema}.batches (tenant, conv, seq, at, mark, events) select tenant, k, 1, 1, 'm', '[]' from ${schema}.conversations on conflict do nothing`,
    )
    await sql(
      `insert into ${schema}.keys (tenant, conv, key, seq) select tenant, k, 'key', 1 from ${schema}.conversations`,
    )
    const before = await looked()
    const ids = Array.from({ length: 20 }, (__, n) => `c${n + 1}`)
    await appends(ids, 1, { status: 'running', holds: [hold('call 1', { open: false })] })
    await appends(ids, 2, { status: 'running', wakeAt: 4e12 })
    await appends(ids, 3, { agent: 'rare' })
    // A connection reports its statistics when it ends.
    await store.close()
    const rows = (await looked()) - before
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThan(2000)
  },
)

test('an append that changes labels, and an erasure, look at their own rows among 100,000, with plans made while the tables were empty', async () => {
  const here = await testSchema()
  const { schema, sql } = here
  const tables = ['conversations', 'agenda', 'holds', 'batches', 'keys', 'notes', 'conversation_labels', 'hold_labels']
  const store = await here.open()
  for (const table of tables) await sql(`alter table ${schema}.${table} set (autovacuum_enabled = off)`)
  const appends = async (id: string, seq: number): Promise<void> => {
    const holds = [hold('call 1', { labels: ['bob'] })]
    await written(store, draft(id, seq, { labels: ['ada'], holds, key: `key ${seq}` }))
    await written(store, draft(id, seq + 1, { labels: ['bob'], holds: [hold('call 1', { open: false })] }))
    await written(store, { ...draft(id, seq + 2), erase: true })
  }
  for (const id of ['a', 'b', 'd', 'e', 'f', 'g']) await appends(id, 0)
  for (const table of tables) await sql(`delete from ${schema}.${table}`)
  await fill(here, 100_000)
  await sql(`update ${schema}.conversations set labeled = true`)
  await sql(
    `insert into ${schema}.batches (tenant, conv, seq, at, mark, events) select tenant, k, 1, 1, 'm', '[]' from ${schema}.conversations`,
  )
  const looked = async (): Promise<number> => {
    const [row] = await sql<{ n: string }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as n from pg_stat_user_tables where schemaname = $1`,
      [schema],
    )
    return Number(row?.n)
  }
  // The inserts above are counted when their connection has ended on the server. Later, they would count as the appends.
  await vi.waitFor(async () => {
    const inserted = `select n_tup_ins as n from pg_stat_user_tables where schemaname = $1 and relname = 'batches'`
    const [row] = await sql<{ n: string }>(inserted, [schema])
    expect(Number(row?.n)).toBeGreaterThanOrEqual(10_000)
  })
  const before = await looked()
  for (let n = 1; n <= 20; n++) await appends(`c${n}`, 1)
  // A connection reports its statistics when it ends.
  await store.close()
  const rows = (await looked()) - before
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThan(10_000)
})
