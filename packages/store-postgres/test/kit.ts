/** Shared by the tests: a server, and a schema for each test. */
import { randomUUID } from 'node:crypto'
import type { Append, Appended, Store } from '@holdpoint/core'
import pg from 'pg'
import { inject, onTestFinished, vi } from 'vitest'
import { postgresForTests, type TestPostgres } from '../../../test/postgres-server.ts'
import { atHead } from '@holdpoint/testing'
import { postgresStore, type PostgresStoreOptions } from '../src/index.ts'

// Tests start and restart servers, perhaps on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

let ours: Promise<TestPostgres> | undefined

/** The server of the test run, or a server of this file if the run has none. */
export async function serverUrl(): Promise<string> {
  const shared = inject('postgresUrl')
  if (shared !== undefined) return shared
  ours ??= postgresForTests()
  return (await ours).url
}

/** For tests that stop the server or change its settings. */
export async function ownServer(): Promise<TestPostgres> {
  const server = await postgresForTests()
  onTestFinished(() => server.stop())
  return server
}

export interface TestSchema {
  readonly url: string
  readonly schema: string
  /** The warnings of all handles. */
  readonly warnings: string[]
  open(options?: PostgresStoreOptions & { readonly url?: string }): Promise<Store>
  /** Runs a query without the store. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

/** A new schema. Its stores have no dispatcher by default. */
export async function testSchema(url?: string): Promise<TestSchema> {
  const server = url ?? (await serverUrl())
  const schema = `t_${randomUUID().slice(0, 8)}`
  const warnings: string[] = []
  const opened: Store[] = []
  const sql: TestSchema['sql'] = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
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
      const store = atHead(await postgresStore(through, { schema, dispatcher: 'none', onWarning, ...rest }))
      opened.push(store)
      return store
    },
  }
}

/** Locks conversations until the test, or `release`, ends the transaction. */
export async function lock({ url, schema }: TestSchema, ids: readonly string[]): Promise<() => Promise<void>> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(`select * from ${schema}.conversations where id = any($1) for update`, [ids])
  return async () => void (await client.query('commit'))
}

/** Appends, and throws if the append is not written. */
export async function written(store: Store, write: Append): Promise<Extract<Appended, { readonly result: 'ok' }>> {
  const answer = await store.append(write)
  if (answer.result !== 'ok') throw new Error(`not written: ${JSON.stringify(answer)}`)
  return answer
}

/** Waits until the condition holds. Times out with the test. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 10))
}
