import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Put } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft, folder, openStore } from './kit.ts'

const doc = (id: string, more: Partial<Put> = {}): Put => ({ tenant: '', kind: 'agent', id, data: id, ...more })

test('a document that cannot be stored does not fail others in the same commit', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const all = await Promise.allSettled([
    store.put(doc('a')),
    store.put(doc('b', { ttlMs: NaN, expected: 0.5 })),
    store.put(doc('c', { tenant: 7 as unknown as string })),
    store.append(draft('c', 0)),
    store.put(doc('a', { expected: 1 })),
  ])
  expect(all.map((each) => (each.status === 'fulfilled' ? each.value.result : 'threw'))).toEqual([
    'ok',
    'conflict',
    'threw',
    'ok',
    'ok',
  ])
  expect(await store.heads([at('c')])).toEqual([1])
})

test('concurrent changes of a document are compared one after the other', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const answers = await Promise.all([0, 0, 1, 1, 2].map((expected) => store.put(doc('a', { expected }))))
  expect(answers).toEqual([
    { result: 'ok', version: 1 },
    { result: 'conflict', version: 1 },
    { result: 'ok', version: 2 },
    { result: 'conflict', version: 2 },
    { result: 'ok', version: 3 },
  ])
})

test('a limit of documents may be infinite or zero', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await Promise.all(['a', 'b', 'c'].map((id) => store.put(doc(id))))
  const query = { tenant: '', kind: 'agent' }
  expect((await store.documents({ ...query, limit: Infinity })).items).toHaveLength(3)
  for (const limit of [0, -1])
    expect(await store.documents({ ...query, limit })).toEqual({ items: [], next: undefined })
})

test('a closed store reports that it is closed', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await store.close()
  const closed = { code: expect.stringMatching(/^store-/), message: expect.stringMatching(/closed/) }
  await expect(store.put(doc('a'))).rejects.toMatchObject(closed)
  await expect(store.get('', 'agent', 'a')).rejects.toMatchObject(closed)
  await expect(store.documents({ tenant: '', kind: 'agent', limit: 1 })).rejects.toMatchObject(closed)
})

test('documents and deadlines are read along an index without sorting', async () => {
  const path = join(folder(), 'a.db')
  await openStore(path)
  const db = new DatabaseSync(path, { readOnly: true })
  const planOf = (sql: string): string =>
    (db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join('\n')
  const live = `tenant = 'a' and kind = 'b' and (until is null or until > 1)`
  expect(planOf(`select data from documents where ${live} and id > 'c' and id < 'd' order by id limit 1`)).toBe(
    'SEARCH documents USING PRIMARY KEY (tenant=? AND kind=? AND id>? AND id<?)',
  )
  expect(planOf('select tenant, kind, id from documents where until <= 1 order by until limit 1')).toBe(
    'SEARCH documents USING COVERING INDEX documents_until (until<?)',
  )
  expect(
    planOf(`delete from documents where (tenant, kind, id) in
      (select tenant, kind, id from documents where until <= 1 order by until limit 1)`),
  ).toContain('SEARCH documents USING PRIMARY KEY (tenant=? AND kind=? AND id=?)')
  const deadline = 'USING INDEX conversations_deadline (wake_at<?)'
  expect(planOf('select tenant, id from conversations where wake_at <= 1 order by wake_at limit 9')).toBe(
    `SEARCH conversations ${deadline}`,
  )
  expect(planOf('select min(wake_at) from conversations where wake_at > 1')).toBe(
    'SEARCH conversations USING COVERING INDEX conversations_deadline (wake_at>?)',
  )
  expect(planOf(`select id from conversations where agent = 'a' and wake_at <= 1 order by wake_at limit 9`)).toContain(
    'conversations_wake (agent=? AND wake_at<?)',
  )
  db.close()
})
