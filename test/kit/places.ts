/** The stores of a test: in memory, or a file that every process opens itself. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendText, encodeBatch, evolve, fold, NO_HASH, type EventBody } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import type { Store } from 'holdpoint'
import { expect, onTestFinished } from 'vitest'
import { deriveRows } from '@holdpoint/core/internal/turn/derive-rows'
import { inMemory, type Place } from './runtime-kit.ts'

export const places: Readonly<Record<string, () => Place>> = { memory: inMemory, SQLite: inFile }

function inFile(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return {
    open: (clock) => sqliteStore(join(folder, 'store.db'), { now: clock.now }),
    drop: (store) => store.close(),
  }
}

/** Adds many turns to a conversation of one turn, each with its own append. */
export async function repeatTurn(store: Store, id: string, times: number): Promise<void> {
  const to = { tenant: '', id }
  const log = await store.read(to, 0)
  let state = fold(log)
  let { hash: follows = NO_HASH } = (await store.load(to)) ?? {}
  const writes = Array.from({ length: times }, async (_, n) => {
    const before = state
    const events = log.map(({ seq: _seq, at: _at, ...body }) => ({ ...body, turnId: `turn-${n}` }) as EventBody)
    state = events.reduce((folded, event) => evolve(folded, { ...event, seq: folded.seq + 1, at: 0 }), before)
    const rows = deriveRows(before, state, events, [])
    const write = { to, expectedSeq: before.seq, follows, mark: `repeated ${n}`, events, at: 0, rows }
    follows = createHash('sha256')
      .update(appendText(write, encodeBatch(events)))
      .digest('hex')
    return store.append(write)
  })
  for (const { result } of await Promise.all(writes)) expect(result).toBe('ok')
}
