/**
 * Backup and restore of a store in a SQLite file. A PostgreSQL database is backed up and restored with PostgreSQL's own tools;
 * afterwards, `markRestored` says so to the store.
 */
import { existsSync } from 'node:fs'
import { HoldpointError, type Store } from '@holdpoint/core'
import { markRestored as markStore, type MarkedRestored } from '@holdpoint/runtime'
import { backupSqlite, restoreSqlite, type CopiedFile } from '@holdpoint/store-sqlite'
import { nodePorts } from './node-ports.ts'
import { openStore } from './open-store.ts'
import { signingKeyBeside } from './signing-key.ts'

export interface BackedUp extends CopiedFile {
  /** The key beside `from` that signs its logs, if a gateway made one. It is not in the backup: keep a copy in another place. */
  readonly signingKey?: string
}

/** Copies the SQLite file `from` into the new file `to`. Processes may go on writing. */
export async function backup(from: string, to: string): Promise<BackedUp> {
  const copied = await backupSqlite(filePath(from), filePath(to))
  const key = signingKeyBeside(from)
  return { ...copied, ...(existsSync(key) && { signingKey: key }) }
}

/** For commands. */
export function backupWords(to: string, { bytes, signingKey: key }: BackedUp): string {
  const missing =
    key === undefined ? '' : ` The signing key ${key} is not in the backup. Keep a copy of it in another place.`
  return `Backed up to ${to}: ${bytes} bytes.${missing}`
}

/** Makes the new file `to` from a backup. Its calls that were under way are in doubt, and its holds are asked about again. */
export async function restore(from: string, to: string): Promise<MarkedRestored> {
  return restoreSqlite(filePath(from), filePath(to), (store) => markStore(store, nodePorts))
}

/**
 * Call it once on a store that was restored from a backup by other means, such as a PostgreSQL database, while no process has
 * a runtime on it: a call that ran after the backup could run again.
 */
export async function markRestored(place: string | Store): Promise<MarkedRestored> {
  if (typeof place !== 'string') return markStore(place, nodePorts)
  const store = await openStore(place)
  try {
    return await markStore(store, nodePorts)
  } finally {
    await store.close()
  }
}

function filePath(place: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) return place
  throw new HoldpointError(
    'config-invalid',
    'backup and restore copy a SQLite file. For a PostgreSQL database, use pg_dump or a base backup, and mark the restored database.',
  )
}
