import { HoldpointError, messageOf, type Store } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'

export interface OpenStoreOptions {
  /** For PostgreSQL behind a pooler in transaction mode: the URL of a direct connection, for notifications. */
  readonly listenUrl?: string
  /** For many processes on one PostgreSQL: the NATS servers that carry notifications, instead of the database. */
  readonly nats?: readonly string[]
  /** Gets what a PostgreSQL store warns of: no data checksums, lost connections. Default: a warning of the process. */
  readonly onWarning?: (message: string, cause?: unknown) => void
}

const warn: NonNullable<OpenStoreOptions['onWarning']> = (message, cause) => {
  const why = cause === undefined ? '' : ` ${messageOf(cause)}`
  process.emitWarning(`${message}${why}`, 'HoldpointWarning')
}

/** Opens the store at a path or a database URL. The caller closes it. */
export async function openStore(place: string, options: OpenStoreOptions = {}): Promise<Store> {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place) ?? []
  if (scheme !== undefined && /^postgres(ql)?$/.test(scheme)) return openPostgres(place, options)
  for (const name of ['listenUrl', 'nats'] as const)
    if (options[name] !== undefined)
      throw new HoldpointError('config-invalid', `${name} is for PostgreSQL, and this store is a file: leave it out.`)
  if (scheme === undefined) return sqliteStore(place)
  // The rest of the URL may contain a password.
  throw new HoldpointError(
    'store-unusable',
    `There is no store for ${scheme}:// URLs. Give the path of a file, or the URL of a PostgreSQL database (postgres://…).`,
  )
}

/** The PostgreSQL store is a separate package, so that applications without PostgreSQL install no driver. */
async function openPostgres(url: string, { nats, listenUrl, onWarning = warn }: OpenStoreOptions): Promise<Store> {
  const found = await load<{ postgresStore(url: string, options: object): Promise<Store> }>(
    '@holdpoint/store-postgres',
    'PostgreSQL',
  )
  const notifier =
    nats &&
    (await load<{ natsNotifier(options: { readonly servers: readonly string[] }): unknown }>(
      '@holdpoint/notify-nats',
      'NATS',
    ))
  return found.postgresStore(url, {
    onWarning,
    ...(listenUrl !== undefined && { listenUrl }),
    ...(nats && notifier && { notifier: notifier.natsNotifier({ servers: nats }) }),
  })
}

async function load<T>(name: string, what: string): Promise<T> {
  return (await import(name).catch((error: unknown) => {
    if (!isMissing(error, name)) throw error // the package exists, but fails to load
    throw new HoldpointError('store-unusable', `For ${what}, install ${name} (npm i ${name}).`, { cause: error })
  })) as T
}

/** Whether this package is missing, and not one of its dependencies. */
function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(`'${name}'`)
}
