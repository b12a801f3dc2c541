import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { expect, test } from 'vitest'
import { openFile, settingsProblem, versionProblem } from '../src/open-file.ts'
import { actor, at, draft, folder, openStore } from './kit.ts'

const refused = { name: 'HoldpointError', code: 'store-unusable' }

test('every commit is synced to a write-ahead log', () => {
  const db = openFile(join(folder(), 'a.db'), 1000)
  const pragma = (name: string): unknown => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('wal_autocheckpoint')]).toEqual(['wal', 2, 1000])
  db.close()
})

test('what is deleted is overwritten with zeros', () => {
  const db = openFile(join(folder(), 'a.db'), 1000)
  expect(db.prepare('pragma secure_delete').get()).toEqual({ secure_delete: 1 })
  db.close()
})

test('a file without a write-ahead log or without sync is refused', () => {
  expect(settingsProblem('a.db', 'wal', 2)).toBeUndefined()
  expect(settingsProblem('a.db', 'delete', 2)).toMatch(/a\.db.*journal mode stayed "delete".*local disk/)
  expect(settingsProblem('a.db', 'wal', 1)).toMatch(/synchronous is 1/)
})

test('an SQLite version that can damage files is refused', () => {
  for (const good of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) expect(versionProblem(good), good).toBeUndefined()
  for (const bad of ['3.51.2', '3.50.9', '3.9.9', '2.99.99', undefined]) {
    expect(versionProblem(bad), String(bad)).toMatch(/Node 24\.15/)
  }
})

test('an in-memory path is refused, and the message names memoryStore', async () => {
  await expect(sqliteStore(':memory:')).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/memoryStore/),
  })
  await expect(sqliteStore('')).rejects.toMatchObject(refused)
})

test('a missing folder, or a folder in place of the file, is named in the error', async () => {
  const home = folder()
  await expect(sqliteStore(join(home, 'none', 'a.db'))).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/folder .*none.* does not exist/),
  })
  await expect(sqliteStore(home)).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/is a folder/) })
})

test('a folder that is not writable is named in the error', () => {
  const home = folder()
  mkdirSync(join(home, 'closed'))
  chmodSync(join(home, 'closed'), 0o555)
  chmodSync(home, 0o755)
  const source = new URL('../src/open-file.ts', import.meta.url).href
  const program = `const { openFile } = await import('${source}')
    try { openFile('${join(home, 'closed', 'a.db')}', 100) } catch (error) { console.log(error.message) }`
  // Root may write everywhere.
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { ...as, encoding: 'utf8' })
  expect(said).toMatch(/Cannot write in the folder .*closed/)
})

test('a file that is not a database is refused and not changed', async () => {
  const path = join(folder(), 'notes.txt')
  writeFileSync(path, 'Buy milk. '.repeat(1000))
  await expect(sqliteStore(path)).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/not an SQLite database/),
  })
  expect(readFileSync(path, 'utf8')).toBe('Buy milk. '.repeat(1000))
})

test('a database of another application is refused and not changed', async () => {
  const path = join(folder(), 'other.db')
  const other = new DatabaseSync(path)
  other.exec('create table milk(litres)')
  other.close()
  const before = readFileSync(path)
  await expect(sqliteStore(path)).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/not a Holdpoint store/),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a file of a newer format is refused', async () => {
  const path = join(folder(), 'a.db')
  await (await sqliteStore(path)).close()
  const db = new DatabaseSync(path)
  db.exec('pragma user_version = 99')
  db.close()
  await expect(sqliteStore(path)).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/newer Holdpoint \(format 99.*Update/),
  })
})

test('a file that another process keeps locked is refused after a timeout', async () => {
  const path = join(folder(), 'a.db')
  const other = new DatabaseSync(path)
  other.exec('begin exclusive')
  await expect(sqliteStore(path, { busyTimeoutMs: 50 })).rejects.toMatchObject({
    ...refused,
    message: expect.stringMatching(/locked by another process for 50 ms/),
  })
  other.close()
})

test('an empty file is used like a new one', async () => {
  const path = join(folder(), 'a.db')
  writeFileSync(path, '')
  const store = await openStore(path)
  expect(await store.append(draft('c', 0))).toMatchObject({ result: 'ok' })
})

test('many processes can create the file at the same time', async () => {
  const path = join(folder(), 'a.db')
  const actors = await Promise.all(Array.from({ length: 4 }, () => actor(path)))
  await Promise.all(actors.map((each, index) => each.ask('append', draft(`c${index}`, 0))))
  expect(
    await actors[0]?.ask(
      'heads',
      ['c0', 'c1', 'c2', 'c3'].map((id) => at(id)),
    ),
  ).toEqual([1, 1, 1, 1])
})

test('a link and its target open the same store', async () => {
  const home = folder()
  const one = await openStore(join(home, 'a.db'))
  symlinkSync(join(home, 'a.db'), join(home, 'link.db'))
  const other = await openStore(join(home, 'link.db'))
  await one.beat('n', 60_000)
  await one.append(draft('c', 0, { node: 'n', rows: { status: 'running' } }))
  expect(await other.takeOver(at('c'), 'm')).toBeUndefined()
})

test('closing leaves one file that contains everything', async () => {
  const home = folder()
  const store = await sqliteStore(join(home, 'a.db'))
  await store.beat('n', 60_000)
  await store.append(draft('c', 0))
  await store.close()
  expect(readdirSync(home)).toEqual(['a.db'])
  const again = await openStore(join(home, 'a.db'))
  expect(await again.heads([at('c')])).toEqual([1])
})

test('a write before close is answered even if the exit of the writer thread is seen first', async () => {
  const store = await sqliteStore(join(folder(), 'a.db'))
  const last = store.append(draft('c', 0))
  const closed = store.close()
  // By the end of this, the other thread has answered and is gone.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150))
  expect(await last).toMatchObject({ result: 'ok' })
  await closed
})

test('a closed store reports that it is closed', async () => {
  const store = await sqliteStore(join(folder(), 'a.db'))
  const last = store.append(draft('c', 0))
  const closed = [store.close(), store.close()]
  expect(await last).toMatchObject({ result: 'ok' })
  await Promise.all(closed)
  expect(await store.append(draft('c', 1))).toEqual({ result: 'failed', why: 'the store is closed' })
  await expect(store.load(at('c'))).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/is closed/) })
  await expect(store.beat('n', 1)).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/is closed/) })
})
