/** The same search on each kind of store. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { memoryStore, type Store } from 'holdpoint'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { personKit } from './person-kit.ts'
import { shipping } from './kit.ts'

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => memoryStore({ now: Date.now }),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = await sqliteStore(join(folder, 'store.db'))
    onTestFinished(() => store.close())
    return store
  },
  PostgreSQL: async () => {
    const url = inject('postgresUrl') ?? ''
    const schema = `search_${randomUUID().slice(0, 8)}`
    onTestFinished(async () => {
      const client = new Client(url)
      await client.connect()
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    })
    const store = await postgresStore(url, { schema, lanes: 1, readers: 2 })
    onTestFinished(() => store.close())
    return store
  },
}

test.each(Object.entries(stores))('%s: filters, rights, pages and erasure', async (_name, open) => {
  const here = await personKit({ store: await open() })
  const [ada, ben] = [await here.person('ada'), await here.person('ben')]
  const dora = await here.person('dora', 'reader resolver')
  const found = async (ask: typeof ada, query: string): Promise<readonly string[]> => {
    const ids: string[] = []
    for (let after = ''; ;) {
      const { status, body } = await ask('GET', `/api/search?${query}${after}`)
      expect([query, status]).toEqual([query, 200])
      ids.push(...body.items.map(({ id }: { readonly id: string }) => id))
      if (body.next === undefined) return ids
      after = `&after=${encodeURIComponent(body.next)}`
    }
  }
  const admin: typeof ada = (method, path, body) => here.ask(method, path, { body })
  await ada('POST', '/api/conversations/hers/messages?wait=5', { content: 'refund 5' })
  await ada('POST', '/api/conversations/talk/messages?wait=5', { content: 'Good MORNING, Ödön 100%_\\' })
  await ben('POST', '/api/conversations/his/messages?wait=5', { content: 'refund 9' })
  await shipping(here, 'shipped')
  const [hold] = (await admin('GET', '/api/holds?conversationId=his')).body.items
  await admin('POST', `/api/holds/his/${hold.callId}/resolve`, { kind: 'reject', reason: 'Too much' })
  const expected: Readonly<Record<string, readonly string[]>> = {
    '': ['shipped', 'his', 'talk', 'hers'],
    'limit=1': ['shipped', 'his', 'talk', 'hers'],
    'text=good%20morning': ['talk'],
    [`text=${encodeURIComponent('O\u0308DO\u0308N')}`]: ['talk'],
    [`text=${encodeURIComponent('%_\\')}`]: ['talk'],
    'text=%25refund': [],
    'tool=ship': ['shipped'],
    'person=ada': ['talk', 'hers'],
    'in=holds&limit=2': ['shipped', 'his', 'hers'],
    'state=waiting&status=held': ['shipped', 'hers'],
    'state=rejected&text=too': ['his'],
    'agent=other': [],
    'until=1000': [],
  }
  for (const [query, ids] of Object.entries(expected)) expect([query, await found(admin, query)]).toEqual([query, ids])
  expect(await found(ada, '')).toEqual(['talk', 'hers'])
  expect(await found(ben, 'text=refund')).toEqual(['his'])
  expect((await found(dora, '')).toSorted()).toEqual(['hers', 'shipped'])
  expect((await here.ask('GET', '/api/search', { tenant: 'umbrella' })).body.items).toEqual([])
  await admin('DELETE', '/api/conversations/talk')
  expect(await found(admin, 'text=morning')).toEqual([])
})
