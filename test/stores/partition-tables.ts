/**
 * Replaces the empty tables of a PostgreSQL store by natively hash-partitioned ones, by tenant: the nearest thing to a distributed
 * PostgreSQL that runs anywhere. It refuses a unique index without the distribution column, as those do.
 */
import type { Client } from 'pg'

const PARTITIONS = 4
/** Every server of a distributed database has a copy of these. */
const COPIED = ['nodes', 'hp_migrations']

export async function partitionTables(client: Client, schema: string): Promise<void> {
  const { rows: tables } = await client.query<{ readonly name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = $1::regnamespace and relname <> all($2)`,
    [schema, COPIED],
  )
  await client.query(`set search_path = ${schema}; create sequence conversation_keys`)
  for (const { name } of tables) {
    const { rows: indexes } = await client.query<{ readonly text: string }>(
      `select coalesce('alter table ${name} add ' || pg_get_constraintdef(c.oid), pg_get_indexdef(x.indexrelid)) as text
        from pg_index x left join pg_constraint c on c.conindid = x.indexrelid where x.indrelid = $1::regclass`,
      [name],
    )
    await client.query(`create table copied (like ${name} including defaults) partition by hash (tenant)`)
    await client.query(`drop table ${name}`)
    await client.query(`alter table copied rename to ${name}`)
    for (let nth = 0; nth < PARTITIONS; nth++) {
      const values = `with (modulus ${PARTITIONS}, remainder ${nth})`
      await client.query(`create table ${name}_${nth} partition of ${name} for values ${values}`)
    }
    for (const { text } of indexes) await client.query(text)
  }
  // PostgreSQL before version 17 has no identity columns in partitioned tables.
  await client.query(`alter table conversations alter column k set default nextval('${schema}.conversation_keys')`)
}
