import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Note } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft, folder, openStore } from './kit.ts'

const noted = (seq: number, more: Partial<Note> = {}): Note => ({ kind: 'summary', seq, at: 1, data: seq, ...more })

test('a note that cannot be stored does not fail others in the same commit', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await store.append(draft('c', 0))
  const all = await Promise.allSettled([
    store.note(at('c'), noted(1)),
    store.note(at('c'), noted(1.5)),
    store.append(draft('c', 1)),
    store.note(at('c'), noted(2)),
  ])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect((await store.notes(at('c'), { kind: 'summary', limit: 9 })).map(({ seq }) => seq)).toEqual([2, 1])
  expect(await store.heads([at('c')])).toEqual([2])
})

test('a note finds the conversation that an append in the same tick created', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await Promise.all([store.append(draft('c', 0)), store.note(at('c'), noted(1))])
  expect(await store.notes(at('c'), { kind: 'summary', limit: 9 })).toHaveLength(1)
})

test('a limit of notes or of a sweep may be infinite or zero', async () => {
  const store = await openStore(join(folder(), 'a.db'), { now: () => 1000 })
  await store.append(draft('c', 0))
  const many = Array.from({ length: 1201 }, (_, n) => store.note(at('c'), noted(n, n % 2 ? { until: 1000 } : {})))
  await Promise.all(many)
  expect(await store.notes(at('c'), { kind: 'summary', before: Infinity, limit: Infinity })).toHaveLength(601)
  for (const none of [0, -1]) {
    expect(await store.notes(at('c'), { kind: 'summary', limit: none })).toEqual([])
    expect(await store.sweep(none)).toBe(0)
  }
  expect(await store.sweep(Infinity)).toBe(600)
})

test('two handles that sweep at the same time count each note once', async () => {
  const path = join(folder(), 'a.db')
  const [store, other] = [await openStore(path), await openStore(path)]
  await store.append(draft('c', 0))
  await Promise.all(Array.from({ length: 1500 }, (_, n) => store.note(at('c'), noted(n, { until: 1 }))))
  const swept = await Promise.all([store.sweep(5000), other.sweep(5000)])
  expect(swept[0] + swept[1]).toBe(1500)
})

test('a closed store reports that it is closed', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await store.close()
  const closed = { code: expect.stringMatching(/^store-/), message: expect.stringMatching(/closed/) }
  await expect(store.note(at('c'), noted(1))).rejects.toMatchObject(closed)
  await expect(store.notes(at('c'), { kind: 'summary', limit: 1 })).rejects.toMatchObject(closed)
  await expect(store.sweep(1)).rejects.toMatchObject(closed)
})

test('notes are read and swept along an index without sorting', async () => {
  const path = join(folder(), 'a.db')
  await openStore(path)
  const db = new DatabaseSync(path, { readOnly: true })
  const planOf = (sql: string): string =>
    (db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join('\n')
  const read = planOf(
    `select seq, at, until, data from notes where conv = 1 and kind = 'a' and seq < 9 and (until is null or until > 1)
     order by seq desc limit 1`,
  )
  expect(read).toBe('SEARCH notes USING INDEX notes_place (conv=? AND kind=? AND seq<?)')
  const sweep = planOf('select pos from notes where until <= 1 order by until limit 1')
  expect(sweep).toBe('SEARCH notes USING COVERING INDEX notes_until (until<?)')
  db.close()
})
