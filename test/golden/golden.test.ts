/** Files of every format that a version of ours wrote. Each is opened, read whole, and its conversations go on. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@holdpoint/core'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { verifyStore } from 'holdpoint'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { MIGRATIONS as POSTGRES } from '../../packages/store-postgres/src/migrations/migrations.ts'
import { MIGRATIONS as SQLITE } from '../../packages/store-sqlite/src/migrations/migrations.ts'
import { contentsOf, HELD, openDesk } from './desk.ts'

const url = inject('postgresUrl') ?? ''
const files = readdirSync(import.meta.dirname)
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const goldenOf = (suffix: string): string[] => files.filter((name) => name.endsWith(suffix)).toSorted()

async function openSqlite(golden: string): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-golden-'))
  copyFileSync(join(import.meta.dirname, golden), join(folder, 'golden.db'))
  const store = await sqliteStore(join(folder, 'golden.db'))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

async function openPostgres(golden: string): Promise<Store> {
  const schema = `golden_${process.pid}_${golden.replace(/\D/g, '')}`
  const sql = async (text: string): Promise<void> => {
    const client = new Client(url)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await sql(`drop schema if exists ${schema} cascade`)
  await sql(read(golden).replaceAll(/\bgolden\b/g, schema))
  const store = await postgresStore(url, { schema, dispatcher: 'none' })
  onTestFinished(async () => {
    await store.close()
    await sql(`drop schema ${schema} cascade`)
  })
  return store
}

const golden = [
  ...goldenOf('.db').map((name) => [name, openSqlite] as const),
  ...goldenOf('.sql').map((name) => [name, openPostgres] as const),
]

test('there is a golden file of the newest format: run `npm run golden`', () => {
  expect(files).toContain(`sqlite-v${SQLITE.length}.db`)
  expect(files).toContain(`postgres-v${POSTGRES.length}.sql`)
})

test.each(golden)('%s has every event, hold, note and document that was written', async (name, open) => {
  const store = await open(name)
  expect(await contentsOf(store)).toEqual(JSON.parse(read(name.replace(/\.\w+$/, '.json'))))
})

test.each(golden)('every log of %s is found to be as it was written', async (name, open) => {
  const { problems, logs, withoutHash } = await verifyStore(await open(name))
  expect(problems).toEqual([])
  expect(logs).toBeGreaterThan(7)
  const beforeChain = ['sqlite-v1.db', 'postgres-v1.sql', 'postgres-v2.sql'].includes(name)
  expect(withoutHash > 0).toBe(beforeChain)
})

test.each(golden)('the conversations of %s go on', async (name, open) => {
  const desk = await openDesk(await open(name))
  onTestFinished(() => desk.close())
  const by = { by: { id: 'carl', kind: 'person' } } as const
  const { items } = await desk.pending({ limit: 100 })
  expect(items.map(({ conversationId, name }) => `${conversationId} ${name}`).toSorted()).toEqual([
    'asked budget',
    'asked print',
    'async ship',
    `${HELD} send`,
    'later poll',
    'queue budget',
  ])
  for (const { conversationId, callId, kind } of items) {
    const verdict =
      kind === 'approval'
        ? await desk.approve(conversationId, callId, by)
        : await desk.answer(conversationId, callId, 7, by)
    expect(verdict, conversationId).toMatchObject({ verdict: 'accepted' })
  }
  await vi.waitFor(async () => expect((await desk.list({ status: 'idle' })).items).toHaveLength(7))
  expect((await desk.events(HELD)).at(-1)).toMatchObject({ type: 'model.replied' })
  expect((await desk.events('queue')).filter(({ type }) => type === 'turn.started')).toHaveLength(2)
  expect(await desk.send('done', 'look', { ...by, agent: 'desk' })).toMatchObject({ status: 'done' })
  expect(await desk.send('erased', 'look', { ...by, agent: 'desk' })).toMatchObject({ reason: 'erased' })
  expect((await desk.agents.view('scout')).plans).toMatchObject([{ id: 'yearly' }])
  expect((await desk.spaces.view('trip'))?.messages.length).toBeGreaterThan(0)
})
