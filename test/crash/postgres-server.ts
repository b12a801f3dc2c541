/** A PostgreSQL for a file of crash tests, and ways to disturb it. */
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { postgresForTests, type TestPostgres } from '../postgres-server.ts'
import { build } from './places.ts'

/** Started before the tests of a file, on a current build, and stopped after them. */
export function ownServer(): () => TestPostgres {
  let server: TestPostgres | undefined
  beforeAll(async () => {
    await build()
    server = await postgresForTests()
  })
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error('The server is started before the first test, not earlier.')
    return server
  }
}

/** Whether the tests may restart it. A server that was given by URL is not restarted. */
export const restartable: boolean = !process.env['HOLDPOINT_TEST_POSTGRES_URL']

/** Ends every connection of a store, like an administrator. Returns their number. */
export async function terminateBackends(url: string): Promise<number> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and application_name = 'holdpoint'`,
    )
    return rows.length
  } finally {
    await client.end()
  }
}
