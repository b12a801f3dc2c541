import { storeDifferential, type DifferentialCount, type StorePlace } from '@holdpoint/testing'
import { expect, inject, test } from 'vitest'
import { memoryPlace, postgresPlace, sqlitePlace } from './places.ts'

const postgres = inject('postgresUrl') ?? ''

test('SQLite answers as the memory store does', { timeout: 300_000 }, async () => {
  const count = await compared({ sqlite: sqlitePlace() }, 300)
  expect(count['append: ok']).toBeGreaterThan(3000)
})

test('PostgreSQL answers as the memory store does', { timeout: 300_000 }, async () => {
  const count = await compared({ postgres: postgresPlace(postgres) }, 60)
  expect(count['append: ok']).toBeGreaterThan(600)
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
