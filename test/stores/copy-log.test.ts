/** A tenant's logs that are copied from one kind of store into another are the same there, and go on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MovableStore, Store } from '@holdpoint/core'
import { moveLog, isMoved } from '@holdpoint/spaces'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { nodePorts } from 'holdpoint'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { contentsOf, fill, openDesk } from '../golden/desk.ts'

const url = inject('postgresUrl') ?? ''
let schemas = 0

async function open(kind: 'SQLite' | 'PostgreSQL'): Promise<MovableStore> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-copy-'))
  const schema = `copy_${process.pid}_${++schemas}`
  const store =
    kind === 'SQLite'
      ? await sqliteStore(join(folder, 'a.db'))
      : await postgresStore(url, { schema, dispatcher: 'none' })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
    const client = new Client(url)
    await client.connect()
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  return store as MovableStore
}

async function everyLog(store: MovableStore, tenant: string): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ;) {
    const page = await store.tenantRows.logs(tenant, { limit: 3, ...(after !== undefined && { after }) })
    ids.push(...page.items.map(({ id }) => id))
    if (page.next === undefined) return ids
    after = page.next
  }
}

/** Without what a copy has of its own. */
async function comparable(store: Store): Promise<unknown> {
  const { logs, tenants, key } = (await contentsOf(store)) as {
    logs: unknown[]
    tenants: { pending: unknown; shown: unknown; documents: unknown[] }[]
    key: unknown
  }
  return { logs, key, tenants: tenants.map(({ pending, shown }) => ({ pending, shown })) }
}

test.each([
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
] as const)(
  'logs that are moved from %s to %s are the same, and the source keeps nothing but tombstones',
  async (...kinds) => {
    const [from, to] = [await open(kinds[0]), await open(kinds[1])]
    await fill(from)
    const before = await comparable(from)
    for (const tenant of ['', 'acme'])
      for (const id of await everyLog(from, tenant)) await moveLog(from, to, { tenant, id }, nodePorts)
    expect(await comparable(to)).toEqual(before)
    expect(isMoved((await from.read({ tenant: 'acme', id: 'done' }, 0)).at(-1))).toBe(true)
    expect((await from.walk({ limit: 100 })).items).toEqual([])
    expect(await from.tenantRows.kinds('acme')).toEqual(['key'])
    await from.tenantRows.forget('acme')
    expect(await everyLog(from, 'acme')).toEqual([])
    expect(await from.tenantRows.kinds('acme')).toEqual([])
    expect((await everyLog(from, '')).length).toBeGreaterThan(5)

    const desk = await openDesk(to)
    onTestFinished(() => desk.close())
    const by = { by: { id: 'carl', kind: 'person' } } as const
    const { items } = await desk.pending({ conversationId: 'asked' })
    for (const { callId } of items)
      expect(await desk.answer('asked', callId, 7, by)).toMatchObject({ verdict: 'accepted' })
    expect(items.length).toBe(2)
  },
)
