/** A primary and a standby for one test, and stores on them. */
import type { Store } from '@holdpoint/core'
import { postgresStore, type PostgresStoreOptions } from '@holdpoint/store-postgres'
import { atHead } from '@holdpoint/testing'
import { onTestFinished } from 'vitest'
import { PostgresPair } from '../../failover/postgres-pair.ts'

export interface TestPair {
  readonly pair: PostgresPair
  readonly warnings: string[]
  /** Default: through the proxy that stands in for an address that moves. */
  open(options?: PostgresStoreOptions & { readonly url?: string }): Promise<Store>
}

export async function testPair(kind: 'synchronous' | 'asynchronous'): Promise<TestPair> {
  const pair = await PostgresPair.open()
  const opened: Store[] = []
  const warnings: string[] = []
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await pair.close()
  })
  await pair.complete({ synchronous: kind === 'synchronous' })
  return {
    pair,
    warnings,
    open: async ({ url = pair.url, ...options } = {}) => {
      const onWarning = (message: string): void => void warnings.push(message)
      const store = atHead(await postgresStore(url, { dispatcher: 'none', onWarning, ...options }))
      opened.push(store)
      return store
    },
  }
}

/** Waits until a statement of a store waits for the standby, and ends its wait. */
export async function endWait(pair: PostgresPair, how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
  for (let ended = 0; ended === 0;) {
    const rows = await pair.primary.sql(
      `select ${how}(pid) from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`,
    )
    ended = rows.length
  }
}

/** Whether it is still unsettled after several statements of others went through. */
export async function isWaiting(work: Promise<unknown>, pair: PostgresPair): Promise<boolean> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  work.then(settle, settle)
  const waits = `select 1 from pg_stat_activity where wait_event = 'SyncRep'`
  while (!settled && (await pair.primary.sql(waits)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return !settled
}
