/** What another program or a bad disk changes in the file is found when it is read, and concerns one conversation only. */
import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Address, Store } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { actor, at, draft, folder, hold, openStore } from './kit.ts'

const DAMAGED = { code: 'log-damaged', message: expect.stringContaining('"c"') }

async function twoLogs(): Promise<{ readonly store: Store; change(sql: string): void }> {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  for (const id of ['c', 'd']) {
    await store.append(draft(id, 0, { rows: { status: 'held', holds: [hold('call')] } }))
    await store.append(draft(id, 1, { rows: { base: { n: 1 } } }))
    await store.append(draft(id, 2))
  }
  return {
    store,
    change: (sql) => {
      const db = new DatabaseSync(path)
      db.exec(sql)
      db.close()
    },
  }
}

type Read = (store: Store, from: Address) => Promise<unknown>
const load: Read = (store, from) => store.load(from)
const read: Read = (store, from) => store.read(from, 0)
const readEnd: Read = (store, from) => store.read(from, 2)
const readBack: Read = (store, from) => store.readBack(from, Infinity, 99)
const readCall: Read = (store, from) => store.readCall(from, 'call')
const follow: Read = (store, from) => store.follow(from, { seq: 0, hash: '' })

const EVENTS = "select k from conversations where id = 'c'"

test.for<[what: string, sql: string, reads: readonly Read[]]>([
  [
    'an event',
    `update batches set events = replace(events, ':0', ':9') where conv = (${EVENTS})`,
    [read, readBack, readCall, follow],
  ],
  [
    'an event that only a base has',
    `update batches set events = replace(events, ':1', ':9') where conv = (${EVENTS})`,
    [read, readBack],
  ],
  [
    'the time of a batch',
    `update batches set at = at + 1 where conv = (${EVENTS}) and seq = 3`,
    [load, read, readEnd, readBack],
  ],
  [
    'a hash',
    `update batches set hash = replace(hash, 'a', 'b') where conv = (${EVENTS})`,
    [load, read, readBack, follow],
  ],
  ['the state', `update conversations set base = '{"n":2}' where id = 'c'`, [load]],
  ['a batch that is gone', `delete from batches where conv = (${EVENTS}) and seq = 2`, [read, readBack, follow]],
  ['the newest batch, which is gone', `delete from batches where conv = (${EVENTS}) and seq = 3`, [load]],
  ['the newest batches, which are gone', `delete from batches where conv = (${EVENTS}) and seq > 1`, [load]],
  [
    'two batches in each other’s place',
    `update batches set seq = -seq where conv = (${EVENTS}) and seq > 1; update batches set seq = 5 + seq where seq < 0`,
    [read, readBack],
  ],
])('%s is found', async ([, sql, reads]) => {
  const { store, change } = await twoLogs()
  for (const each of reads) await expect(each(store, at('c'))).resolves.toBeDefined()
  change(sql)
  for (const each of reads) {
    await expect(each(store, at('c')), each.name).rejects.toMatchObject(DAMAGED)
    await expect(each(store, at('d')), each.name).resolves.toBeDefined()
  }
})

test('nothing is written over the newest batch when it is gone', async () => {
  const { store, change } = await twoLogs()
  change(`delete from batches where conv = (${EVENTS}) and seq = 3`)
  const [last] = await store.batches(at('c'), 1, 1)
  expect(last).toMatchObject({ seq: 2 })
  expect(await store.append(draft('c', 2, { follows: last!.hash }))).toEqual({ result: 'conflict' })
})

test.for([
  ['removed', (wal: string) => rmSync(wal)],
  ['moved away', (wal: string) => renameSync(wal, `${wal}.old`)],
  ['replaced by a copy of itself', (wal: string) => (copyFileSync(wal, `${wal}.new`), renameSync(`${wal}.new`, wal))],
] as const)(
  'a write-ahead log that is %s under a running process is noticed before the next append is confirmed',
  async ([, change]) => {
    const path = join(folder(), 'a.db')
    const store = await openStore(path)
    await store.append(draft('c', 0))
    change(`${path}-wal`)
    expect(await store.append(draft('c', 1))).toMatchObject({
      result: 'failed',
      why: expect.stringContaining('-wal was moved'),
    })
  },
)

test.for([
  ['deleted', (wal: string) => rmSync(wal)],
  ['cut', (wal: string) => truncateSync(wal, statSync(wal).size - 4096)],
  ['emptied', (wal: string) => truncateSync(wal, 0)],
] as const)('a write-ahead log that was %s after a crash is noticed when the file is opened', async ([, change]) => {
  const path = join(folder(), 'a.db')
  const dying = await actor(path)
  for (const seq of [0, 1, 2]) await dying.ask('append', draft('c', seq))
  dying.process.kill('SIGKILL')
  await dying.ended()
  change(`${path}-wal`)

  await expect(sqliteStore(path)).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringMatching(/lost acknowledged writes.*batch 3 was committed/),
  })

  rmSync(`${path}-newest`)
  const store = await openStore(path)
  expect((await store.heads([at('c')]))[0]).toBeLessThan(3)
})

test('an older copy of the file, put in the place of a newer one, is noticed', async () => {
  const path = join(folder(), 'a.db')
  const first = await sqliteStore(path)
  await first.append(draft('c', 0))
  await first.close()
  copyFileSync(path, `${path}.bak`)
  const dying = await actor(path)
  await dying.ask('append', draft('c', 1))
  dying.process.kill('SIGKILL')
  await dying.ended()
  for (const name of ['-wal', '-shm']) rmSync(path + name)
  renameSync(`${path}.bak`, path)
  await expect(sqliteStore(path)).rejects.toMatchObject({ code: 'store-unusable' })
})

test('a file that was closed has no record, and neither has its copy', async () => {
  const path = join(folder(), 'a.db')
  const store = await sqliteStore(path)
  await store.append(draft('c', 0))
  expect(existsSync(`${path}-newest`)).toBe(true)
  await store.close()
  expect(existsSync(`${path}-newest`)).toBe(false)
})
