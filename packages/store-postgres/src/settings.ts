/** The options of a store, and their defaults. */
import { HoldpointError } from '@holdpoint/core'
import type { OpenNotifier } from './notifier.ts'

export interface PostgresStoreOptions {
  /** The schema of the tables, created if missing. Default: `holdpoint`. */
  readonly schema?: string
  /**
   * A direct connection for notifications, if `url` is a pooler in transaction mode: LISTEN belongs to a session, which such a
   * pooler shares. Default: `url`.
   */
  readonly listenUrl?: string
  /** What carries notifications of writes between processes. Default: LISTEN and NOTIFY. */
  readonly notifier?: OpenNotifier
  /** What wakes a process at a deadline: graphile-worker, or nothing but polling. Default: `graphile`. */
  readonly dispatcher?: 'graphile' | 'none'
  /** The schema of graphile-worker's jobs. Default: `<schema>_jobs`. */
  readonly jobsSchema?: string
  /** The number of connections that append. One call on a connection takes all its waiting appends. Default: 1. */
  readonly lanes?: number
  /** The number of connections that read. Default: 5. */
  readonly readers?: number
  /** How long to wait for the server's answer before the connection counts as broken. Default: 30 s. */
  readonly timeoutMs?: number
  /** Opens a server that can lose acknowledged writes (`fsync` off, for example), with a warning. */
  readonly allowUnsafe?: boolean
  /** Receives problems that the store recovered from: lost connections, notifications that could not be sent. */
  readonly onWarning?: (message: string, cause?: unknown) => void
  /** For tests: milliseconds to add to the database's clock. */
  readonly clockOffset?: () => number
}

export interface Settings extends Required<Omit<PostgresStoreOptions, 'listenUrl' | 'notifier'>> {
  readonly url: string
  readonly notifier: OpenNotifier | undefined
  readonly listenUrl: string | undefined
}

export function settingsOf(url: string, options: PostgresStoreOptions): Settings {
  const { schema = 'holdpoint', dispatcher = 'graphile', lanes = 1, readers = 5, timeoutMs = 30_000 } = options
  const { jobsSchema = `${schema}_jobs`, allowUnsafe = false, clockOffset = () => 0, onWarning = () => {} } = options
  for (const [name, value] of Object.entries({ schema, jobsSchema })) checkIdentifier(name, value)
  for (const [name, value] of Object.entries({ lanes, readers, timeoutMs })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new HoldpointError('config-invalid', `${name} is ${value}: use a whole number above 0.`)
    }
  }
  return {
    url,
    listenUrl: options.listenUrl,
    notifier: options.notifier,
    schema,
    dispatcher,
    jobsSchema,
    lanes,
    readers,
    timeoutMs,
    allowUnsafe,
    clockOffset,
    onWarning: safely(onWarning),
  }
}

/** The name is inserted into SQL, so only plain identifiers are allowed. PostgreSQL truncates longer ones. */
function checkIdentifier(name: string, value: string): void {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(value)) return
  throw new HoldpointError(
    'config-invalid',
    `${name} is ${JSON.stringify(value)}: use at most 48 lower-case letters, digits and underscores, starting with a letter.`,
  )
}

/** The store warns in the middle of a recovery, which an error of the callback must not interrupt. */
function safely(onWarning: Settings['onWarning']): Settings['onWarning'] {
  return (message, cause) => {
    try {
      onWarning(message, cause)
    } catch {
      // There is nothing left to report it to.
    }
  }
}
