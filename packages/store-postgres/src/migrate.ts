/**
 * Brings the schema to what this code needs: all that is missing in one transaction, under a lock, so that any number of
 * processes may start at once. A schema that is ahead of this code is refused: it may mean things this code would break.
 */
import { HoldpointError } from '@holdpoint/core'
import type { ClientBase } from 'pg'
import { MIGRATIONS } from './migrations/all.ts'

export async function migrate(client: ClientBase, schema: string): Promise<void> {
  if ((await versionOf(client, schema)) === MIGRATIONS.length) return
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`holdpoint migrations of ${schema}`])
    const version = await versionOf(client, schema)
    // Not `create schema if not exists`: that asks for the right to make one even where it exists.
    const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
    if (rowCount === 0) await client.query(`create schema ${schema}`)
    await client.query(
      `create table if not exists ${schema}.hp_migrations (version int primary key, applied_at timestamptz not null default now())`,
    )
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue
      await client.query(migration.replaceAll(':schema', schema))
      await client.query(`insert into ${schema}.hp_migrations (version) values ($1)`, [index + 1])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function versionOf(client: ClientBase, schema: string): Promise<number> {
  // Not `to_regclass`: it answers from a cache, and may not see what was made while we waited for the lock.
  const text = `select 1 from pg_tables where schemaname = $1 and tablename = 'hp_migrations'`
  if ((await client.query(text, [schema])).rowCount === 0) return 0
  const { rows } = await client.query(`select coalesce(max(version), 0) as version from ${schema}.hp_migrations`)
  const { version } = rows[0] as { version: number }
  if (version > MIGRATIONS.length) {
    throw new HoldpointError(
      'store-unusable',
      `The schema "${schema}" is at version ${version}, and this version of @holdpoint/store-postgres knows ` +
        `${MIGRATIONS.length}. Update the package, or use another schema.`,
    )
  }
  return version
}
