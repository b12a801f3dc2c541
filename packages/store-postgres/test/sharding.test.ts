/**
 * The rules by which PostgreSQL's distributed forms can shard the schema: a tenant's rows are found by the tenant. Each key begins
 * with it, and each statement names it for every table that it reads or writes, or says in a comment that it is for all tenants.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testSchema } from './kit.ts'

/** Small tables that every server of a distributed database has a copy of. */
const COPIED = ['nodes', 'hp_migrations']
const ALL_TENANTS = '/* all tenants */'

interface Key {
  readonly table: string
  readonly name: string
  readonly first: string
}

test('every primary key and unique index of a table with a tenant begins with the tenant', async () => {
  const { open, sql, schema } = await testSchema()
  await open()
  const keys = await sql<Key & { readonly tables: number }>(
    `select t.relname as table, i.relname as name, a.attname as first
      from pg_index x
      join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
      where x.indisunique and t.relnamespace = $1::regnamespace`,
    [schema],
  )
  expect(keys.length).toBeGreaterThan(8)
  expect(keys.filter(({ table, first }) => !COPIED.includes(table) && first !== 'tenant')).toEqual([])
  const tables = await sql<{ readonly name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = $1::regnamespace`,
    [schema],
  )
  const keyed = new Set(keys.map(({ table }) => table))
  expect(tables.map(({ name }) => name).filter((name) => !keyed.has(name))).toEqual([])
})

test('no table refers to another one, and no trigger writes to another tenant', async () => {
  const { open, sql, schema } = await testSchema()
  await open()
  const text = `select conname from pg_constraint where contype in ('f', 'x') and connamespace = $1::regnamespace
    union all select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = $1::regnamespace`
  expect(await sql(text, [schema])).toEqual([])
})

const TABLES = [
  'conversations',
  'batches',
  'keys',
  'agenda',
  'holds',
  'notes',
  'documents',
  'conversation_labels',
  'hold_labels',
]
const USE = new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:\\S+\\.)(${TABLES.join('|')})\\b`, 'g')

/** A row that a subselect found by its tenant may be written by its place. */
const NAMED = /\btenants?\b|\bctid = \w+\.place\b/

/** The uses of tables in a text of SQL without a tenant in the innermost statement around them. */
function unscoped(sql: string): string[] {
  return [...sql.matchAll(USE)].flatMap(({ index, 0: use }) => {
    if (use.startsWith('into')) return /^[^)]*\(([^)]*, )?tenant\b/.test(sql.slice(index + use.length)) ? [] : [use]
    const statement = statementAround(sql, index)
    return NAMED.test(statement) || statement.includes(ALL_TENANTS) ? [] : [`${use} in ${statement.trim()}`]
  })
}

/** From the opening parenthesis or the semicolon before a place to the closing one after it, without what is in parentheses. */
function statementAround(sql: string, at: number): string {
  const ends = (character: string | undefined): boolean => character === ';' || character === '`'
  let before = ''
  for (let place = at - 1, depth = 0; place >= 0; place--) {
    const character = sql[place]!
    if (character === ')') depth++
    if (depth === 0 && (character === '(' || ends(character))) break
    if (depth === 0) before = character + before
    if (character === '(') depth--
  }
  let after = ''
  for (let place = at, depth = 0; place < sql.length; place++) {
    const character = sql[place]!
    if (depth === 0 && (character === ')' || ends(character))) break
    if (character === '(') depth++
    if (depth === 0) after += character
    if (character === ')') depth--
  }
  return before + after
}

test('every statement of the stored functions names the tenant of what it reads and writes', async () => {
  const { open, sql, schema } = await testSchema()
  await open()
  const functions = await sql<{ readonly body: string }>(
    `select prosrc as body from pg_proc where pronamespace = $1::regnamespace`,
    [schema],
  )
  expect(functions.length).toBeGreaterThan(6)
  expect(functions.flatMap(({ body }) => unscoped(body))).toEqual([])
})

test('every statement in the sources names the tenant of what it reads and writes', () => {
  const folder = join(import.meta.dirname, '../src')
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'migrate.ts')
  expect(files.flatMap((name) => unscoped(readFileSync(join(folder, name), 'utf8')))).toEqual([])
})

test.each([
  ['`select * from x.batches where conv = $1`', 1],
  ['`select * from x.batches b join x.holds h on h.conv = b.conv`', 2],
  ['`select (select k from x.conversations where tenant = $1) from x.batches where conv = 1`', 1],
  ['`update x.agenda set status = $1 where conv = 2; select tenant from x.notes`', 1],
  ['`select * from x.agenda where wake_at < $1 /* all tenants */`', 0],
  ['`insert into x.batches (tenant, conv) select 1, 2`', 0],
  ['`insert into x.batches (conv) select tenant`', 1],
  ['`select * from x.batches where tenant = $1 and conv = $2`', 0],
])('the check of statements finds what is wrong with %s', (sql, found) => {
  expect(unscoped(sql)).toHaveLength(found)
})
