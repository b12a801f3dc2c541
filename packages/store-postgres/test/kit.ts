/** What the tests of this package share: a server, and a schema for each test. */
import { randomUUID } from 'node:crypto'
import type { Append, Appended, Store } from '@holdpoint/core'
import pg from 'pg'
import { inject, onTestFinished, vi } from 'vitest'
import { postgresForTests, type TestPostgres } from '../../../test/postgres-server.ts'
import { postgresStore, type PostgresStoreOptions } from '../src/index.ts'

// Servers start and recover here, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let ours: Promise<TestPostgres> | undefined

/** The server of this run, or one of this file's own when the run has none. */
export async function serverUrl(): Promise<string> {
  const shared = inject('postgresUrl')
  if (shared !== undefined) return shared
  ours ??= postgresForTests()
  return (await ours).url
}

/** For tests that stop it or change its settings. */
export async function ownServer(): Promise<TestPostgres> {
  const server = await postgresForTests()
  onTestFinished(() => server.stop())
  return server
}

export interface Place {
  readonly url: string
  readonly schema: string
  /** Everything that any handle warned of. */
  readonly warnings: string[]
  open(options?: PostgresStoreOptions & { readonly url?: string }): Promise<Store>
  /** Asks the database behind the store's back. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

/** A schema of its own. Without a dispatcher, unless the test asks for it. */
export async function place(url?: string): Promise<Place> {
  const server = url ?? (await serverUrl())
  const schema = `t_${randomUUID().slice(0, 8)}`
  const warnings: string[] = []
  const opened: Store[] = []
  const sql: Place['sql'] = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    const client = new pg.Client(server)
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await sql(`drop schema if exists ${schema} cascade; drop schema if exists ${schema}_jobs cascade`).catch(() => {})
  })
  return {
    url: server,
    schema,
    warnings,
    sql,
    open: async (options = {}) => {
      const onWarning = (message: string): void => void warnings.push(message)
      const { url: through = server, ...rest } = options
      const store = await postgresStore(through, { schema, dispatcher: 'none', onWarning, ...rest })
      opened.push(store)
      return store
    },
  }
}

/** Appends what must be written. */
export async function written(store: Store, write: Append): Promise<Extract<Appended, { readonly result: 'ok' }>> {
  const answer = await store.append(write)
  if (answer.result !== 'ok') throw new Error(`not written: ${JSON.stringify(answer)}`)
  return answer
}

/** Asks until it is so. Times out with the test. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 10))
}
