import { storeConformance, type StoreCase } from '@holdpoint/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresForTests, type TestPostgres } from '../postgres-server.ts'
import { memoryPlace, postgresPlace, postgresProcesses, sqlitePlace, sqliteProcesses } from './places.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await postgresForTests()
}, 60_000)
afterAll(() => postgres.stop())

const stores: Readonly<Record<string, readonly StoreCase[]>> = {
  memory: storeConformance(async () => memoryPlace()),
  SQLite: storeConformance(async () => sqlitePlace()),
  PostgreSQL: storeConformance(async () => postgresPlace(postgres.url)),
  'SQLite, in processes that are killed': among(
    storeConformance(async () => sqliteProcesses()),
    /^(race|crash):/,
  ),
  'PostgreSQL, in processes that are killed': among(
    storeConformance(async () => postgresProcesses(postgres.url)),
    /^crash:/,
  ),
}

describe.each(Object.entries(stores))('%s', (_store, cases) => {
  for (const { name, run } of cases) test(name, { timeout: 60_000 }, () => expect(run()).resolves.toBeUndefined())
})

function among(cases: readonly StoreCase[], wanted: RegExp): StoreCase[] {
  return cases.filter(({ name }) => wanted.test(name))
}
