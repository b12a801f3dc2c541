import { storeDifferential, type DifferentialCount, type StorePlace } from '@holdpoint/testing'
import { expect, inject, test } from 'vitest'
import { memoryPlace, postgresPlace, sqlitePlace } from './places.ts'

const postgres = inject('postgresUrl') ?? ''
/** `DIFFERENTIAL_SEEDS=1000` compares for longer. */
const SEEDS = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 120)

test('SQLite answers as the memory store does', { timeout: 300_000 }, async () => {
  const count = await compared({ sqlite: sqlitePlace() }, SEEDS)
  expect(count['append: ok']).toBeGreaterThan(10 * SEEDS)
})

test('PostgreSQL answers as the memory store does', { timeout: 300_000 }, async () => {
  const count = await compared({ postgres: postgresPlace(postgres) }, SEEDS / 3)
  expect(count['append: ok']).toBeGreaterThan((10 * SEEDS) / 3)
})

test('all three answer alike when they are asked for longer', { timeout: 300_000 }, async () => {
  const count = await compared({ sqlite: sqlitePlace(), postgres: postgresPlace(postgres) }, 3, 400)
  expect(count['append: ok']).toBeGreaterThan(200)
})

/** Beside the memory store, by so many seeds. */
async function compared(
  places: Readonly<Record<string, StorePlace>>,
  seeds: number,
  commands = 40,
): Promise<DifferentialCount> {
  try {
    const numbers = Array.from({ length: seeds }, (_, n) => n + 1)
    return await storeDifferential({ memory: memoryPlace(), ...places }, { seeds: numbers, commands })
  } finally {
    for (const place of Object.values(places)) await place.end()
  }
}
