/**
 * Applies the missing migrations: all in one transaction and under a lock, so that any number of processes can start at
 * once. A schema that is newer than this code is refused, because this code could damage it, unless the newer version says that
 * this one may run on it.
 */
import { HoldpointError } from '@holdpoint/core'
import type { ClientBase } from 'pg'
import { MIGRATIONS, OLDEST } from './migrations/migrations.ts'

/** The version of a schema is the number of migrations that were applied to it. */
export async function migrate(
  client: ClientBase,
  schema: string,
  migrations: readonly string[] = MIGRATIONS,
  oldest: number = OLDEST,
): Promise<void> {
  if ((await versionOf(client, schema, migrations.length)) >= migrations.length) return
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`holdpoint migrations of ${schema}`])
    const version = await versionOf(client, schema, migrations.length)
    // `create schema if not exists` requires the right to create schemas even if the schema exists.
    const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
    if (rowCount === 0) await client.query(`create schema ${schema}`)
    await client.query(
      `create table if not exists ${schema}.hp_migrations (version int primary key, applied_at timestamptz not null default now())`,
    )
    await client.query(`alter table ${schema}.hp_migrations add column if not exists oldest int`)
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue
      await client.query(migration.replaceAll(':schema', schema))
      await client.query(`insert into ${schema}.hp_migrations (version, oldest) values ($1, $2)`, [index + 1, oldest])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function versionOf(client: ClientBase, schema: string, known: number): Promise<number> {
  // `to_regclass` answers from a cache, which may miss a table that was created while this process waited for the lock.
  const text = `select 1 from pg_tables where schemaname = $1 and tablename = 'hp_migrations'`
  if ((await client.query(text, [schema])).rowCount === 0) return 0
  // As JSON, because a schema of the first version has no column `oldest`.
  const { rows } = await client.query<{ readonly version: number; readonly oldest: number | null }>(
    `select version, (to_jsonb(m)->>'oldest')::int as oldest from ${schema}.hp_migrations m order by version desc limit 1`,
  )
  const { version = 0, oldest } = rows[0] ?? {}
  if (version > known && (oldest ?? version) > known) {
    throw new HoldpointError(
      'store-unusable',
      `The schema "${schema}" is at version ${version}, and this version of @holdpoint/store-postgres knows ` +
        `${known}. Update the package, or use another schema.`,
    )
  }
  return version
}
