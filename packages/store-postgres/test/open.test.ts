import { HoldpointError } from '@holdpoint/core'
import { readdirSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { checkServer } from '../src/check-server.ts'
import { settingsOf } from '../src/settings.ts'
import { postgresStore } from '../src/index.ts'
import { migrate } from '../src/migrate.ts'
import { MIGRATIONS } from '../src/migrations/migrations.ts'
import { at, draft } from './draft.ts'
import { ownServer, testSchema, serverUrl, written, type TestSchema } from './kit.ts'

const unusable = expect.objectContaining({ code: 'store-unusable' })

test('a server that may lose acknowledged writes is refused, or named in a warning if `allowUnsafe` is set', async () => {
  const server = await ownServer()
  const { open, sql, warnings } = await testSchema(server.url)
  const set = async (setting: string, value: string): Promise<void> => {
    await sql(`alter system set ${setting} = ${value}`)
    await sql('select pg_reload_conf()')
  }
  for (const setting of ['fsync', 'full_page_writes']) {
    await set(setting, 'off')
    await expect
      .poll(() =>
        open().then(
          () => 'opened',
          (error: unknown) => error,
        ),
      )
      .toEqual(unusable)
    await expect(open()).rejects.toThrow(`${setting} is off`)
    await open({ allowUnsafe: true })
    expect(warnings.at(-1)).toBe(`This PostgreSQL may lose acknowledged writes: ${setting} is off.`)
    await set(setting, 'on')
  }
  await expect.poll(() => open().then(() => 'opened', String)).toBe('opened')
})

test('a commit waits for the disk even if the role or the server turns synchronous_commit off', async () => {
  const server = await ownServer()
  const { open, sql, schema } = await testSchema(server.url)
  await sql('alter role postgres set synchronous_commit = off')
  const store = await open({ lanes: 1 })
  // A trigger records the setting of the session that appends.
  await sql(`create table ${schema}.seen (setting text)`)
  await sql(`create function ${schema}.see() returns trigger language plpgsql as
    $$ begin insert into ${schema}.seen values (current_setting('synchronous_commit')); return new; end $$`)
  await sql(`create trigger see after insert on ${schema}.batches for each row execute function ${schema}.see()`)
  await written(store, draft('c', 0))
  await sql('alter role postgres reset synchronous_commit')
  await sql('alter system set synchronous_commit = off')
  await sql('select pg_reload_conf()')
  await expect.poll(() => sql('show synchronous_commit')).toEqual([{ synchronous_commit: 'off' }])
  await written(store, draft('c', 1))
  expect(await sql(`select setting from ${schema}.seen`)).toEqual([{ setting: 'on' }, { setting: 'on' }])

  const careless = await open({ allowUnsafe: true })
  await written(careless, draft('c', 2))
  expect(await sql(`select setting from ${schema}.seen offset 2`)).toEqual([{ setting: 'off' }])
})

test('a database whose encoding cannot store every character is refused', async () => {
  const { sql, url } = await testSchema()
  const name = `latin_${Date.now()}`
  await sql(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  const latin = new URL(url)
  latin.pathname = name
  await expect(postgresStore(latin.href)).rejects.toThrow('encoded in LATIN1')
  await sql(`drop database ${name}`)
})

test('an unreachable server is reported as such', async () => {
  const error = await postgresStore('postgres://user@127.0.0.1:1/none').catch((thrown: unknown) => thrown)
  expect(error).toEqual(unusable)
  expect(HoldpointError.is(error) && error.message).toContain('ECONNREFUSED')
})

test('ten processes that start at once create the tables once', async () => {
  const { open, sql, schema } = await testSchema()
  const stores = await Promise.all(Array.from({ length: 10 }, () => open()))
  expect(
    await sql(`select count(*)::int as n, count(distinct version)::int as versions from ${schema}.hp_migrations`),
  ).toEqual([{ n: MIGRATIONS.length, versions: MIGRATIONS.length }])
  for (const [seq, store] of stores.entries()) await written(store, draft('c', seq))
  expect(await stores[0]!.heads([at('c')])).toEqual([10])
})

test('a schema that is newer than this code is refused', async () => {
  const { open, sql, schema } = await testSchema()
  await (await open()).close()
  await sql(`insert into ${schema}.hp_migrations (version) values (99)`)
  await expect(open()).rejects.toEqual(unusable)
  await expect(open()).rejects.toThrow('is at version 99')
})

test('a migration that fails leaves nothing behind', async () => {
  const { open, sql, schema } = await testSchema()
  await sql(`create schema ${schema}; create table ${schema}.holds (mine int)`)
  await expect(open()).rejects.toEqual(unusable)
  expect(await sql(`select table_name from information_schema.tables where table_schema = $1`, [schema])).toEqual([
    { table_name: 'holds' },
  ])
})

test('a role that may use the schema but not create one can open the store', async () => {
  const { open, sql, schema, url } = await testSchema()
  await (await open()).close()
  const role = `role_${schema}`
  await sql(`create role ${role} login; grant usage on schema ${schema} to ${role};
    grant all on all tables in schema ${schema} to ${role}`)
  const theirs = new URL(url)
  theirs.username = role
  const store = await open({ url: theirs.href })
  expect((await store.append(draft('c', 0))).result).toBe('ok')
  await store.close()
  await sql(`drop owned by ${role}; drop role ${role}`)
})

test('an invalid schema name or setting is refused before the store connects', async () => {
  const url = await serverUrl()
  for (const schema of [
    'Holdpoint',
    'a-b',
    'a b',
    '1a',
    '',
    'a"; drop schema public; --',
    'ä',
    'a.b',
    'a'.repeat(49),
  ]) {
    await expect(postgresStore(url, { schema })).rejects.toEqual(expect.objectContaining({ code: 'config-invalid' }))
    await expect(postgresStore(url, { jobsSchema: schema })).rejects.toThrow('jobsSchema')
  }
  for (const setting of ['lanes', 'readers', 'timeoutMs']) {
    for (const value of [0, -1, 1.5, Number.NaN]) {
      await expect(postgresStore(url, { [setting]: value })).rejects.toThrow(`${setting} is ${value}`)
    }
  }
})

/** As a later release might have it. */
const later = [...MIGRATIONS, `alter table :schema.conversations add column colour text default 'red'`]

/** By default as a release that no earlier version may run beside. */
async function migrateTo(
  { url, schema }: TestSchema,
  migrations: readonly string[],
  oldest: number = migrations.length,
): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await migrate(client, schema, migrations, oldest)
  } finally {
    await client.end()
  }
}

test('each migration has a file with its own number', () => {
  const files = readdirSync(new URL('../src/migrations/', import.meta.url)).filter((name) => /^\d/.test(name))
  expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, index) => index + 1))
})

test('a schema of an earlier version is migrated with its data, and the earlier code then refuses it', async () => {
  const here = await testSchema()
  const { open, sql, schema } = here
  const store = await open()
  await written(store, draft('c', 0))
  await store.close()
  await migrateTo(here, later)
  expect(await sql(`select id, colour from ${schema}.conversations`)).toEqual([{ id: 'c', colour: 'red' }])
  expect(await sql(`select version from ${schema}.hp_migrations order by version`)).toEqual(
    later.map((_, index) => ({ version: index + 1 })),
  )
  await expect(open()).rejects.toEqual(unusable)
  await expect(open()).rejects.toThrow(`is at version ${later.length}`)
})

test('if a later migration fails, the schema stays at its version', async () => {
  const here = await testSchema()
  const { open, sql, schema } = here
  await (await open()).close()
  await expect(migrateTo(here, [...later, 'select nonsense'])).rejects.toThrow('nonsense')
  expect(await sql(`select max(version) as version from ${schema}.hp_migrations`)).toEqual([
    { version: MIGRATIONS.length },
  ])
  const store = await open()
  await written(store, draft('c', 0))
  expect(await sql(`select * from ${schema}.conversations`)).toEqual([expect.not.objectContaining({ colour: 'red' })])
})

test('in a rolling upgrade, processes of the version before run on, and start, beside the new one', async () => {
  const here = await testSchema()
  const old = await here.open()
  const each = Array.from({ length: 10 }, (_, nth) => `c${nth}`)
  let stop = false
  // Each conversation gets one append after the other: from the version before, while the new one migrates.
  const writing = each.map(async (id) => {
    let seq = 0
    while (!stop) await written(old, draft(id, seq++))
    return seq
  })
  await expect.poll(async () => (await old.heads(each.map((id) => at(id)))).every((seq) => seq > 3)).toBe(true)
  await migrateTo(here, later, MIGRATIONS.length)
  // Opened by the code of the version before, on the newer schema.
  const second = await here.open()
  const heads = await second.heads(each.map((id) => at(id)))
  await expect
    .poll(async () => (await second.heads(each.map((id) => at(id)))).every((seq, nth) => seq > heads[nth]!))
    .toBe(true)
  stop = true
  const seqs = await Promise.all(writing)
  for (const [nth, id] of each.entries()) await written(second, draft(id, seqs[nth]!))
  expect(await old.heads(each.map((id) => at(id)))).toEqual(seqs.map((seq) => seq + 1))
  expect(await here.sql(`select distinct colour from ${here.schema}.conversations`)).toEqual([{ colour: 'red' }])
})

test('a newer schema that needs a newer version is refused also two versions later', async () => {
  const here = await testSchema()
  await (await here.open()).close()
  const two = [...later, 'alter table :schema.conversations add column size text']
  await migrateTo(here, two, later.length)
  await expect(here.open()).rejects.toThrow(`is at version ${two.length}`)
})

test('a server without data checksums is used, with a warning', async () => {
  const row = {
    version: 17,
    encoding: 'UTF8',
    standby: false,
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
  }
  const warned = async (data_checksums: string): Promise<readonly string[]> => {
    const warnings: string[] = []
    const onWarning = (message: string): void => void warnings.push(message)
    const client = { query: async () => ({ rows: [{ ...row, data_checksums }] }) } as never
    await checkServer(client, settingsOf('postgres://unused', { onWarning }))
    return warnings
  }
  expect(await warned('off')).toEqual([expect.stringContaining('no data checksums')])
  expect(await warned('on')).toEqual([])
})
