import { HoldpointError, messageOf, type Store } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'

export interface OpenStoreOptions {
  /** For PostgreSQL behind a pooler in transaction mode: the URL of a direct connection, for notifications. */
  readonly listenUrl?: string
}

/** Opens the store at a path or a database URL. The caller closes it. */
export async function openStore(place: string, options: OpenStoreOptions = {}): Promise<Store> {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place) ?? []
  if (scheme !== undefined && /^postgres(ql)?$/.test(scheme)) return openPostgres(place, options)
  if (options.listenUrl !== undefined)
    throw new HoldpointError('config-invalid', 'listenUrl is for PostgreSQL, and this store is a file: leave it out.')
  if (scheme === undefined) return sqliteStore(place)
  // The rest of the URL may contain a password.
  throw new HoldpointError(
    'store-unusable',
    `There is no store for ${scheme}:// URLs. Give the path of a file, or the URL of a PostgreSQL database (postgres://…).`,
  )
}

/** The PostgreSQL store is a separate package, so that applications without PostgreSQL install no driver. */
async function openPostgres(url: string, options: OpenStoreOptions): Promise<Store> {
  const name = '@holdpoint/store-postgres'
  const found = (await import(name).catch((error: unknown) => {
    if (!isMissing(error, name)) throw error // the package exists, but fails to load
    throw new HoldpointError('store-unusable', `For PostgreSQL, install ${name} (npm i ${name}).`, { cause: error })
  })) as { postgresStore(url: string, options: OpenStoreOptions): Promise<Store> }
  return found.postgresStore(url, options)
}

/** Whether this package is missing, and not one of its dependencies. */
function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(`'${name}'`)
}
