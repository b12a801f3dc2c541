import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { expect, test } from 'vitest'
import { openFile } from '../src/open-file.ts'
import { STEPS } from '../src/schema.ts'
import { at, draft, folder, openStore } from './kit.ts'

const TODAY = STEPS.length
/** As a later release might have it. */
const later = [...STEPS, `alter table conversations add column colour text; update conversations set colour = 'red'`]

async function fileOfToday(): Promise<string> {
  const path = join(folder(), 'a.db')
  const store = await sqliteStore(path)
  await store.append(draft('c', 0))
  await store.close()
  return path
}

const versionOf = (db: DatabaseSync): unknown => Object.values(db.prepare('pragma user_version').get() ?? {})[0]

test('a new file is made by all the steps', () => {
  const path = join(folder(), 'a.db')
  const db = openFile(path, 100, later)
  expect(versionOf(db)).toBe(later.length)
  expect(db.prepare('select colour from conversations').all()).toEqual([])
  db.close()
  expect(existsSync(`${path}.v${TODAY}.bak`)).toBe(false)
})

test('an older file is brought up to date, and a copy of it is kept beside', async () => {
  const path = await fileOfToday()
  writeFileSync(`${path}.v${TODAY}.bak.part`, 'left over from a copy that was cut off')
  const db = openFile(path, 100, later)
  expect(versionOf(db)).toBe(TODAY + 1)
  expect(db.prepare('select id, colour from conversations').all()).toEqual([{ id: 'c', colour: 'red' }])
  db.close()
  await expect(sqliteStore(path)).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringMatching(/newer Holdpoint/),
  })

  const copy = await openStore(`${path}.v${TODAY}.bak`)
  expect(await copy.heads([at('c')])).toEqual([1])
  expect(existsSync(`${path}.v${TODAY}.bak.part`)).toBe(false)
})

test('a step that fails leaves the file as it was', async () => {
  const path = await fileOfToday()
  expect(() => openFile(path, 100, [...later, 'select nonsense'])).toThrow(/nonsense/)
  const db = openFile(path, 100)
  expect(db.prepare('select * from conversations').get()).not.toHaveProperty('colour')
  db.close()
  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([1])
})

test('a file that cannot be copied is not changed', async () => {
  const path = await fileOfToday()
  mkdirSync(`${path}.v${TODAY}.bak`)
  expect(() => openFile(path, 100, later)).toThrow(/could not be copied/)
  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([1])
})

test('a process that knows only the older format stops writing when a newer one has been there', async () => {
  const path = await fileOfToday()
  const store = await openStore(path)
  openFile(path, 100, later).close()
  expect(await store.append(draft('c', 1))).toMatchObject({
    result: 'failed',
    why: expect.stringContaining(`format ${TODAY + 1}`),
  })
  expect(await store.heads([at('c')])).toEqual([1])
})
