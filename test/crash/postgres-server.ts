/** A PostgreSQL for a file of crash tests, and what can be done to it from behind. */
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { postgresForTests, type TestPostgres } from '../postgres-server.ts'
import { build } from './places.ts'

/** Started with the file, on a build that is up to date, and gone with it. */
export function ownServer(): () => TestPostgres {
  let server: TestPostgres | undefined
  beforeAll(async () => {
    await build()
    server = await postgresForTests()
  }, 60_000)
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error('The server is started before the first test, not earlier.')
    return server
  }
}

/** Whether it is ours to restart: one that was given by URL is not. */
export const restartable: boolean = !process.env['HOLDPOINT_TEST_POSTGRES_URL']

/** Ends every connection of a store at this server, as an administrator could. How many there were. */
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
