import { storeConformance, type StoreCase } from '@holdpoint/testing'
import { describe, expect, inject, test } from 'vitest'
import {
  memoryPlace,
  partitionedPlace,
  postgresPlace,
  postgresProcesses,
  sqlitePlace,
  sqliteProcesses,
} from './places.ts'

const postgres = inject('postgresUrl') ?? ''

const stores: Readonly<Record<string, readonly StoreCase[]>> = {
  memory: storeConformance(async () => memoryPlace()),
  SQLite: storeConformance(async () => sqlitePlace()),
  PostgreSQL: storeConformance(async () => postgresPlace(postgres)),
  // All of them: HOLDPOINT_TEST_PARTITIONS=all
  'PostgreSQL, on tables that are partitioned by tenant': among(
    storeConformance(async () => partitionedPlace(postgres)),
    process.env.HOLDPOINT_TEST_PARTITIONS === 'all' ? /./ : /^(append|key|erase|labels|call):/,
  ),
  'SQLite, in processes that are killed': among(
    storeConformance(async () => sqliteProcesses()),
    /^(race|crash):/,
  ),
  'PostgreSQL, in processes that are killed': among(
    storeConformance(async () => postgresProcesses(postgres)),
    /^crash:/,
  ),
}

describe.each(Object.entries(stores))('%s', (_store, cases) => {
  for (const { name, run } of cases) test(name, { timeout: 240_000 }, () => expect(run()).resolves.toBeUndefined())
})

function among(cases: readonly StoreCase[], wanted: RegExp): StoreCase[] {
  return cases.filter(({ name }) => wanted.test(name))
}
