import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeConformance } from '@holdpoint/testing'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { expect, test } from 'vitest'

const cases = storeConformance(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'))
  let now = 1_800_000_000_000
  return {
    open: () => sqliteStore(join(folder, 'store.db'), { now: () => now }),
    clock: {
      advance: (ms) => {
        now += ms
      },
    },
    end: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

for (const { name, run } of cases) {
  test(name, { timeout: 60_000 }, () => expect(run()).resolves.toBeUndefined())
}
