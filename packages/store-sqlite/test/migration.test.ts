import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { expect, test } from 'vitest'
import { openFile } from '../src/open-file.ts'
import { MIGRATIONS } from '../src/migrations/migrations.ts'
import { at, draft, folder, openStore } from './kit.ts'

const CURRENT = MIGRATIONS.length
/** As a later release might have it. */
const later = [
  ...MIGRATIONS,
  `alter table conversations add column colour text; update conversations set colour = 'red'`,
]

async function currentFile(): Promise<string> {
  const path = join(folder(), 'a.db')
  const store = await sqliteStore(path)
  await store.append(draft('c', 0))
  await store.close()
  return path
}

const versionOf = (db: DatabaseSync): unknown => Object.values(db.prepare('pragma user_version').get() ?? {})[0]

test('each migration has a file with its own number', () => {
  const files = readdirSync(new URL('../src/migrations/', import.meta.url)).filter((name) => /^\d/.test(name))
  expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, index) => index + 1))
})

test('a new file gets all migrations', () => {
  const path = join(folder(), 'a.db')
  const db = openFile(path, 100, later)
  expect(versionOf(db)).toBe(later.length)
  expect(db.prepare('select colour from conversations').all()).toEqual([])
  db.close()
  expect(existsSync(`${path}.v${CURRENT}.bak`)).toBe(false)
})

test('an older file is migrated, and a copy of it is kept', async () => {
  const path = await currentFile()
  writeFileSync(`${path}.v${CURRENT}.bak.part`, 'left over from a copy that was cut off')
  const db = openFile(path, 100, later)
  expect(versionOf(db)).toBe(CURRENT + 1)
  expect(db.prepare('select id, colour from conversations').all()).toEqual([{ id: 'c', colour: 'red' }])
  db.close()
  await expect(sqliteStore(path)).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringMatching(/newer Holdpoint/),
  })

  const copy = await openStore(`${path}.v${CURRENT}.bak`)
  expect(await copy.heads([at('c')])).toEqual([1])
  expect(existsSync(`${path}.v${CURRENT}.bak.part`)).toBe(false)
})

test('a migration that fails leaves the file unchanged', async () => {
  const path = await currentFile()
  expect(() => openFile(path, 100, [...later, 'select nonsense'])).toThrow(/nonsense/)
  const db = openFile(path, 100)
  expect(db.prepare('select * from conversations').get()).not.toHaveProperty('colour')
  db.close()
  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([1])
})

test('a file that cannot be copied is not migrated', async () => {
  const path = await currentFile()
  mkdirSync(`${path}.v${CURRENT}.bak`)
  expect(() => openFile(path, 100, later)).toThrow(/could not be copied/)
  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([1])
})

test('a process stops writing when a newer process has migrated the file', async () => {
  const path = await currentFile()
  const store = await openStore(path)
  openFile(path, 100, later).close()
  expect(await store.append(draft('c', 1))).toMatchObject({
    result: 'failed',
    why: expect.stringContaining(`format ${CURRENT + 1}`),
  })
  expect(await store.heads([at('c')])).toEqual([1])
})
