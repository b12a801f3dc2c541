/**
 * Writes the golden file of the present format of each store: `npm run golden`. A golden file never changes: every later version
 * must open it. So a file that exists is left alone.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup } from 'holdpoint'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { MIGRATIONS as POSTGRES } from '../../packages/store-postgres/src/migrations/migrations.ts'
import { MIGRATIONS as SQLITE } from '../../packages/store-sqlite/src/migrations/migrations.ts'
import { postgresForTests } from '../postgres-server.ts'
import { contentsOf, fill } from './desk.ts'

const here = (name: string): string => join(import.meta.dirname, name)
const SCHEMA = 'golden'

async function writeSqlite(): Promise<void> {
  const name = `sqlite-v${SQLITE.length}`
  if (existsSync(here(`${name}.db`))) return
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-golden-'))
  const file = join(folder, 'golden.db')
  const store = await sqliteStore(file)
  await fill(store)
  writeFileSync(here(`${name}.json`), `${JSON.stringify(await contentsOf(store), null, 1)}\n`)
  await store.close()
  await backup(file, here(`${name}.db`))
  rmSync(folder, { recursive: true })
}

/** Needs `pg_dump`, which the npm package with the server's binaries does not have. */
async function writePostgres(): Promise<void> {
  const name = `postgres-v${POSTGRES.length}`
  if (existsSync(here(`${name}.sql`))) return
  const server = await postgresForTests()
  const store = await postgresStore(server.url, { schema: SCHEMA, dispatcher: 'none' })
  await fill(store)
  writeFileSync(here(`${name}.json`), `${JSON.stringify(await contentsOf(store), null, 1)}\n`)
  await store.close()
  const dump = execFileSync('pg_dump', ['--dbname', server.url, '--schema', SCHEMA, '--inserts', '--no-owner'])
  // Lines that start with a backslash are for psql. Comments and settings name versions of the server.
  const lines = dump.toString().split('\n')
  writeFileSync(here(`${name}.sql`), lines.filter((line) => !/^(?:\\|SET (?!check)|--)/.test(line)).join('\n'))
  await server.stop()
}

await writeSqlite()
await writePostgres()
