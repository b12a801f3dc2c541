/** A short soak, and one of a store that leaks, which must fail. */
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { soak } from '../soak/soak.ts'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-soak-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'desk.db')
}

test('a desk works through restarts, and neither its logs nor its handles are wrong', async () => {
  const file = place()
  const result = await soak({ ms: 1000, checkMs: 200, open: () => openStore(file), report: () => {} })
  expect(result.violations).toEqual([])
  expect(result.restarts).toBeGreaterThan(1)
  expect(result.turns).toBeGreaterThan(result.checks)
})

test.skipIf(process.platform !== 'linux')('a store that leaves a file open at each restart is found', async () => {
  const file = place()
  const open = async (): Promise<Store> => {
    for (let nth = 0; nth < 3; nth++) openSync(join(file, '..'), 'r')
    return openStore(file)
  }
  const { violations } = await soak({ ms: 1000, checkMs: 50, open, report: () => {} })
  expect(violations).toContainEqual(expect.stringMatching(/^handles grew from \d+ to \d+$/))
})
