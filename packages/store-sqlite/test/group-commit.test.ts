import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { WriteConnection } from '../src/write-connection.ts'
import { groupCommit } from '../src/group-commit.ts'
import type { WriteOp } from '../src/writer-messages.ts'
import { at, draft, folder, openStore, results } from './kit.ts'

test('operations of one tick are committed together', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append(draft('c0', 0))
  const before = commitsIn(`${path}-wal`)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => store.append(draft(`c${n + 1}`, 0))))
  expect(new Set(results(answers))).toEqual(new Set(['ok']))
  // The first few set off while the rest is still being asked for.
  expect(commitsIn(`${path}-wal`) - before).toBeLessThanOrEqual(26)
})

test('operations that wait during a commit go into the next one', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append(draft('c', 0))
  const before = commitsIn(`${path}-wal`)
  const writers = Array.from({ length: 50 }, async (_, n) => {
    for (let seq = 0; seq < 10; seq++) await store.append(draft(`c${n}`, seq))
  })
  await Promise.all(writers)
  expect(commitsIn(`${path}-wal`) - before).toBeLessThan(100)
})

test('a write that was answered "ok" is visible to any reader of the file', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const other = new DatabaseSync(path, { readOnly: true })
  const rows = other.prepare('select count(*) as n from batches')
  for (let seq = 0; seq < 20; seq++) {
    await store.append(draft('c', seq))
    expect(rows.get()).toEqual({ n: seq + 1 })
    expect(await store.heads([at('c')])).toEqual([seq + 1])
  }
  other.close()
})

test('an operation that fails does not fail others in the same commit', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const answers = await Promise.all([
    store.append(draft('a', 0)),
    store.append(draft('bad', 0, { at: Number.NaN })),
    store.append(draft('b', 0)),
    store.append(draft('a', 1)),
  ])
  expect(results(answers)).toEqual(['ok', 'failed', 'ok', 'ok'])
  expect(await store.heads([at('a'), at('bad'), at('b')])).toEqual([2, 0, 1])
})

test('an append that cannot be encoded as JSON fails and is not written', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const deep: unknown[] = []
  for (let level = 0, inner = deep; level < 100_000; level++) inner.push((inner = []))
  const events = [{ type: 'state.changed', plugin: 'p', value: deep as never }] as const
  expect(await store.append(draft('c', 0, { events }))).toMatchObject({
    result: 'failed',
    why: expect.stringMatching(/JSON/),
  })
  expect(await store.append(draft('c', 0, { events: [] }))).toMatchObject({ result: 'failed' })
  expect(await store.append(draft('c', 0))).toMatchObject({ result: 'ok' })
})

/** A connection in which one step fails, and a record of its calls. */
function broken(step: 'begin' | 'apply' | 'commit' | 'rollback', errcode: number, bad?: string) {
  const did: string[] = []
  const fail = (): never => {
    throw Object.assign(new Error('broken'), { errcode })
  }
  const connection = {
    begin: () => (did.push('begin'), step === 'begin' && fail()),
    apply: (op: WriteOp) => {
      if ((step === 'apply' || step === 'rollback') && (bad === undefined || ('node' in op && op.node === bad))) fail()
      return { result: 'done' }
    },
    commit: () => (did.push('commit'), step === 'commit' && fail()),
    rollback: () => (did.push('rollback'), step === 'rollback' && fail()),
  } as unknown as WriteConnection
  const connections = { get: () => connection, drop: () => did.push('drop') }
  const ops = ['a', 'b', 'c'].map((node): WriteOp => ({ op: 'leave', node }))
  return { did, answers: groupCommit(connections, ops).map(({ result }) => result) }
}

test('after a failed commit the outcome is unknown, and the connection is dropped before the next write', () => {
  const syncFailed = 1034
  expect(broken('commit', syncFailed)).toEqual({
    answers: ['unknown', 'unknown', 'unknown'],
    did: ['begin', 'commit', 'drop'],
  })
})

test('a commit that found the disk full did not happen, and its writes are retried one by one', () => {
  const once = ['begin', 'commit', 'rollback']
  expect(broken('commit', 13)).toEqual({
    answers: ['failed', 'failed', 'failed'],
    did: [...once, ...once, ...once, ...once],
  })
})

test('if the transaction cannot start, all its operations fail at once', () => {
  expect(broken('begin', 5)).toEqual({ answers: ['failed', 'failed', 'failed'], did: ['begin'] })
})

test('a disk error in the middle drops the connection and fails only its own write', () => {
  const { answers, did } = broken('apply', 10, 'b')
  expect(answers).toEqual(['done', 'failed', 'done'])
  expect(did.filter((what) => what === 'drop')).toHaveLength(2)
})

test('a failed rollback drops the connection', () => {
  const { answers, did } = broken('rollback', 1, 'b')
  expect(answers).toEqual(['done', 'failed', 'done'])
  expect(did).toContain('drop')
})

/** The number of transactions in a write-ahead log. The last frame of each contains the size of the database. */
function commitsIn(wal: string): number {
  const bytes = readFileSync(wal)
  const frame = 24 + bytes.readUInt32BE(8)
  let commits = 0
  for (let from = 32; from + frame <= bytes.length; from += frame) commits += Number(bytes.readUInt32BE(from + 4) > 0)
  return commits
}
