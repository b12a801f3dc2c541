import { HoldpointError } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { postgresStore } from '../src/index.ts'
import { MIGRATIONS } from '../src/migrations/all.ts'
import { at, draft, hold, note } from './draft.ts'
import { ownServer, place, serverUrl, written, type Place } from './kit.ts'

const unusable = expect.objectContaining({ code: 'store-unusable' })

test('a server that may lose what it acknowledged is refused, and named in a warning when that is allowed', async () => {
  const server = await ownServer()
  const { open, sql, warnings } = await place(server.url)
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
    expect(warnings.at(-1)).toBe(`This PostgreSQL may lose what it acknowledged: ${setting} is off.`)
    await set(setting, 'on')
  }
  await expect.poll(() => open().then(() => 'opened', String)).toBe('opened')
})

test('a commit waits for the disk though the role, or the server from now on, would not', async () => {
  const server = await ownServer()
  const { open, sql, schema } = await place(server.url)
  await sql('alter role postgres set synchronous_commit = off')
  const store = await open({ lanes: 1 })
  // What the session that appends has: seen from inside the statement, by a trigger.
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

test('a database that cannot keep every character is refused', async () => {
  const { sql, url } = await place()
  const name = `latin_${Date.now()}`
  await sql(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  const latin = new URL(url)
  latin.pathname = name
  await expect(postgresStore(latin.href)).rejects.toThrow('encoded in LATIN1')
  await sql(`drop database ${name}`)
})

test('a server that is not there is said to be so', async () => {
  const error = await postgresStore('postgres://nobody@127.0.0.1:1/none').catch((thrown: unknown) => thrown)
  expect(error).toEqual(unusable)
  expect(HoldpointError.is(error) && error.message).toContain('ECONNREFUSED')
})

test('ten processes that start at once make the tables once', async () => {
  const { open, sql, schema } = await place()
  const stores = await Promise.all(Array.from({ length: 10 }, () => open()))
  expect(
    await sql(`select count(*)::int as n, count(distinct version)::int as versions from ${schema}.hp_migrations`),
  ).toEqual([{ n: MIGRATIONS.length, versions: MIGRATIONS.length }])
  for (const [seq, store] of stores.entries()) await written(store, draft('c', seq))
  expect(await stores[0]!.heads([at('c')])).toEqual([10])
})

test('a schema that is ahead of this code is refused, and left alone', async () => {
  const { open, sql, schema } = await place()
  await (await open()).close()
  await sql(`insert into ${schema}.hp_migrations (version) values (99)`)
  await expect(open()).rejects.toEqual(unusable)
  await expect(open()).rejects.toThrow('is at version 99')
})

test('a migration that fails leaves nothing behind', async () => {
  const { open, sql, schema } = await place()
  await sql(`create schema ${schema}; create table ${schema}.holds (mine int)`)
  await expect(open()).rejects.toEqual(unusable)
  expect(await sql(`select table_name from information_schema.tables where table_schema = $1`, [schema])).toEqual([
    { table_name: 'holds' },
  ])
})

test('whoever may use the schema but not make one can open it', async () => {
  const { open, sql, schema, url } = await place()
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

test('the name of a schema is a plain one, or refused before anything is asked', async () => {
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

/** A schema as it was after so many changes. */
async function schemaAt({ sql, schema }: Place, version: number): Promise<void> {
  await sql(`create schema ${schema}`)
  await sql(`create table ${schema}.hp_migrations (version int primary key, applied_at timestamptz default now())`)
  for (const [index, migration] of MIGRATIONS.slice(0, version).entries()) {
    await sql(migration.replaceAll(':schema', schema))
    await sql(`insert into ${schema}.hp_migrations (version) values ($1)`, [index + 1])
  }
}

test('a schema of an earlier version goes on where it was, and knows of near deadlines then', async () => {
  const here = await place()
  const { open, sql, schema } = here
  await schemaAt(here, 3)
  const store = await open()
  await written(store, draft('near', 0, { status: 'held', wakeAt: Date.now() + 60_000 }))
  await written(store, draft('far', 0, { status: 'held', wakeAt: Date.UTC(2100, 0, 1) }))
  expect(await store.heads([at('near'), at('far')])).toEqual([1, 1])
  expect(await sql(`select max(version) as version from ${schema}.hp_migrations`)).toEqual([
    { version: MIGRATIONS.length },
  ])
})

test('what an earlier version wrote is there, waits, falls due and goes on, under this one', async () => {
  const here = await place()
  const { open, sql, schema } = here
  await schemaAt(here, 5)
  const holds = JSON.stringify([
    { call_id: 'x', tool: 'pay', kind: 'approval', open: true, held_at: 5, expires_at: 9, seqs: [1, 2] },
  ])
  const text = JSON.stringify([note('one'), note('two')])
  const old = (id: string, status: string, wakeAt: number | null, node: string | null, waits: string | null) =>
    sql<{ result: string }>(
      `select result from ${schema}.append(0, '{""}', array[$1], '{0}', '{m}', '{2}', array[$2], '{7}', '{desk}', array[$3],
        array[$4::float8], '{null}', array[$5], '{null}', array[$6], array['key of ' || $1])`,
      [id, text, status, wakeAt, waits, node],
    )
  for (const answer of [
    await old('held', 'held', 9, null, holds),
    await old('far', 'idle', Date.UTC(2100, 0, 1), null, null),
    await old('running', 'running', null, 'gone', null),
    await old('idle', 'idle', null, null, null),
  ])
    expect(answer).toEqual([{ result: 'ok' }])

  const store = await open()
  const { items } = await store.pending({ tenant: '', callId: 'x', limit: 9 })
  expect(items.map(({ conversationId, heldAt }) => [conversationId, heldAt])).toEqual([['held', 5]])
  expect((await store.readCall(at('held'), 'x')).map(({ seq }) => seq)).toEqual([1, 2])
  expect((await store.load(at('idle')))?.events).toEqual([
    { ...note('one'), seq: 1, at: 7 },
    { ...note('two'), seq: 2, at: 7 },
  ])
  expect(await store.findKey(at('far'), 'key of far')).toBe(2)
  for (const query of [{ agents: ['desk'], limit: 9 }, { limit: 9 }])
    expect(await store.due(query)).toEqual({
      conversations: [at('held'), at('running')],
      next: Date.UTC(2100, 0, 1),
    })
  const busy = async (status: 'held' | 'running' | 'idle'): Promise<string[]> =>
    (await store.list({ tenant: '', status, limit: 9 })).items.map(({ id }) => id)
  expect([await busy('held'), await busy('running'), await busy('idle')]).toEqual([
    ['held'],
    ['running'],
    ['idle', 'far'],
  ])
  expect(await store.claim(at('running'), 'here')).toBe(2)

  await written(store, draft('held', 2, { holds: [hold('x', { open: false, seqs: [1, 2, 3] })] }))
  expect(await store.pending({ tenant: '', limit: 9 })).toEqual({ items: [], next: undefined })
  expect(await store.due({ limit: 9 })).toEqual({ conversations: [at('running')], next: Date.UTC(2100, 0, 1) })
  expect((await store.readCall(at('held'), 'x')).map(({ seq }) => seq)).toEqual([1, 2, 3])
  // A process of that version would be misunderstood if what it calls were still there.
  await expect(old('late', 'idle', null, null, null)).rejects.toThrow(/append.* does not exist/)
  expect(
    await sql(`select 1 from pg_proc where proname = 'append' and pronamespace = $1::regnamespace`, [schema]),
  ).toEqual([])
})
