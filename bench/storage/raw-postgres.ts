/**
 * Handwritten SQL on PostgreSQL: `pg`, prepared statements, a pool with a connection for every concurrent writer.
 *
 * `rows`: `begin`, an insert for each row, `commit`, as most programs do. `one`: all rows of a transaction in one insert,
 * which is its own transaction: the fewest messages to the server.
 */
import { Pool, type PoolClient } from 'pg'
import type { Fact } from './facts.ts'
import type { RawStore, RawStyle } from './raw.ts'

export async function rawPostgres(url: string, connections: number, style: RawStyle): Promise<RawStore> {
  const pool = new Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 })
  // The database is dropped after the run. A connection may receive that error before the pool has closed it.
  pool.on('error', () => {})
  await checkDurable(pool)
  await pool.query(
    `create table if not exists facts (
       id bigint generated always as identity primary key, conversation text not null, seq integer not null,
       kind text not null, payload json not null, unique (conversation, seq)
     )`,
  )
  // Connect before the measurement starts.
  const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
  for (const client of clients) client.release()
  const write = style === 'one' ? inOneStatement : inStatements
  return {
    append: async (conversation, firstSeq, facts) => {
      const client = await pool.connect()
      try {
        await write(client, conversation, firstSeq, facts)
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

async function inStatements(
  client: PoolClient,
  conversation: string,
  firstSeq: number,
  facts: readonly Fact[],
): Promise<void> {
  await client.query('begin')
  for (const [index, { kind, payload }] of facts.entries())
    await client.query({
      name: 'fact',
      text: 'insert into facts (conversation, seq, kind, payload) values ($1, $2, $3, $4)',
      values: [conversation, firstSeq + index, kind, JSON.stringify(payload)],
    })
  await client.query('commit')
}

async function inOneStatement(
  client: PoolClient,
  conversation: string,
  firstSeq: number,
  facts: readonly Fact[],
): Promise<void> {
  await client.query({
    name: 'facts',
    text: `insert into facts (conversation, seq, kind, payload)
      select $1, $2::int + nth - 1, kind, payload from unnest($3::text[], $4::json[]) with ordinality as f(kind, payload, nth)`,
    values: [
      conversation,
      firstSeq,
      facts.map(({ kind }) => kind),
      facts.map(({ payload }) => JSON.stringify(payload)),
    ],
  })
}

async function checkDurable(pool: Pool): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await pool.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new Error(`The baseline must be durable: ${setting} is not on.`)
  }
}
