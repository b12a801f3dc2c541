/** `verifyStore` and its command: what is wrong with a store is named, log by log. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, storeCommand, verifyStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../packages/store-sqlite/src/migrations/migrations.ts'

const GOLDEN = join(import.meta.dirname, `golden/sqlite-v${MIGRATIONS.length}.db`)

function damagedCopy(sql: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-verify-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'store.db')
  copyFileSync(GOLDEN, file)
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
  return file
}

const OF = (id: string): string => `(select k from conversations where id = '${id}')`

test.for<[what: string, sql: string, found: object]>([
  [
    'a hold that is gone from the list',
    `delete from holds where conv = ${OF('asked')}`,
    { log: { id: 'asked' }, message: expect.stringContaining('What is held is []') },
  ],
  [
    'other events of a held call',
    `update holds set seqs = replace(seqs, substr(seqs, -2), '1]') where conv = ${OF('asked')}`,
    { log: { id: 'asked' }, message: expect.stringContaining('The list of events of call') },
  ],
  [
    'another deadline',
    `update holds set expires_at = expires_at + 1 where conv = ${OF('asked')}`,
    { log: { id: 'asked' }, message: expect.stringContaining('What is held') },
  ],
  [
    'another status',
    `update conversations set status = 'idle' where id = 'asked'`,
    { log: { id: 'asked' }, message: expect.stringContaining('The row is') },
  ],
  [
    'another state with a hash that fits',
    `update conversations set base = '{}', base_hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' where id = 'done'`,
    { log: { id: 'done' }, message: expect.stringContaining('The stored state') },
  ],
  [
    'a changed event',
    `update batches set events = replace(events, 'look', 'loot') where conv = ${OF('done')} and seq = (select min(seq) from batches where conv = ${OF('done')})`,
    { log: { id: 'done' }, message: expect.stringContaining('not those that were written'), goodUntil: 0 },
  ],
  [
    'batches of no conversation',
    `update batches set conv = 9999 where conv = ${OF('done')}`,
    { message: expect.stringContaining('belong to no conversation') },
  ],
])('%s is found', async ([, sql, found]) => {
  const file = damagedCopy(sql)
  const store = await sqliteStore(file)
  try {
    const { problems, logs } = await verifyStore(store)
    expect(problems).toContainEqual(expect.objectContaining(asymmetric(found)))
    const others = problems.filter(
      ({ log }) => log && !JSON.stringify(found).includes(`"${log.id}"`) && log.id !== 'done',
    )
    expect(others).toEqual([])
    expect(logs).toBeGreaterThan(5)
  } finally {
    await store.close()
  }
})

function asymmetric(found: object): object {
  return 'log' in found ? { ...found, log: expect.objectContaining(found.log as object) } : found
}

test('the command says that a store is sound, or names every problem', async () => {
  expect(await storeCommand(['verify', damagedCopy('')])).toMatch(
    /^\d+ logs with \d+ events are as they were written\./,
  )
  const damaged = damagedCopy(`update conversations set status = 'idle' where id = 'asked'`)
  await expect(storeCommand(['verify', damaged])).rejects.toMatchObject({
    code: 'log-damaged',
    message: expect.stringMatching(/Problems in \d+ logs: 1\.\nasked, good until seq \d+: The row is/),
  })
})

test('a file that an event names is read, and named if it is gone or changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-verify-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'desk.db')
  const runtime = await holdpoint({
    store: path,
    agents: [agent({ name: 'desk', model: scriptedModel(['Hi.', 'Hi.', 'Hi.']) })],
  })
  onTestFinished(() => runtime.close())
  const ids: string[] = []
  for (const id of ['gone', 'changed', 'well']) {
    const file = await runtime.files.upload(Buffer.from(id), { mediaType: 'text/plain' })
    await runtime.send(id, [file.part])
    ids.push(file.id)
  }
  const [folderOfTenant = ''] = readdirSync(`${path}-files`)
  rmSync(join(`${path}-files`, folderOfTenant, ids[0]!))
  writeFileSync(join(`${path}-files`, folderOfTenant, ids[1]!), 'chanced')
  const store = await sqliteStore(path)
  onTestFinished(() => store.close())
  const { problems } = await verifyStore(store)
  expect(problems.toSorted((a, b) => (a.log!.id < b.log!.id ? -1 : 1))).toMatchObject([
    { log: { id: 'changed' }, message: expect.stringContaining(`File ${ids[1]}: `) },
    { log: { id: 'gone' }, message: expect.stringContaining(`File ${ids[0]}: `) },
  ])
})
