/** Checks the server's version and settings once, when a store is opened. */
import { HoldpointError } from '@holdpoint/core'
import type { ClientBase } from 'pg'
import type { Settings } from './settings.ts'

const OLDEST_VERSION = 15

interface Server {
  readonly version: number
  readonly encoding: string
  readonly standby: boolean
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly data_checksums: string
}

export async function checkServer(client: ClientBase, { allowUnsafe, onWarning }: Settings): Promise<void> {
  const { rows } = await client.query(`select
    current_setting('server_version_num')::int / 10000 as version,
    current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as standby,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('data_checksums') as data_checksums`)
  const server = rows[0] as Server

  const problem = problemOf(server)
  if (problem !== undefined) throw new HoldpointError('store-unusable', `This PostgreSQL cannot be used: ${problem}`)

  if (server.data_checksums === 'off')
    onWarning(
      'This PostgreSQL has no data checksums: it would not notice what a disk changes. Stop it, and run pg_checksums --enable.',
    )

  // Each transaction turns synchronous_commit on, unless it may be unsafe.
  const settings = ['fsync', 'full_page_writes', ...(allowUnsafe ? (['synchronous_commit'] as const) : [])] as const
  const off = settings.filter((name) => server[name] === 'off')
  if (off.length === 0) return
  const what = `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off`
  if (!allowUnsafe) {
    throw new HoldpointError(
      'store-unusable',
      `This PostgreSQL would lose acknowledged writes if its machine crashed: ${what}. ` +
        'Turn it on, or open the store with allowUnsafe: true if that is acceptable.',
    )
  }
  onWarning(`This PostgreSQL may lose acknowledged writes: ${what}.`)
}

function problemOf({ version, encoding, standby }: Server): string | undefined {
  if (version < OLDEST_VERSION) return `it is version ${version}, and ${OLDEST_VERSION} or newer is needed.`
  if (encoding !== 'UTF8') return `its database is encoded in ${encoding}. Create one with encoding UTF8.`
  return standby ? 'it is a standby, which cannot be written to. Use the URL of the primary.' : undefined
}
