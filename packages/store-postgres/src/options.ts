/** What a store can be told, and what it does when it is told nothing. */
import { HoldpointError } from '@holdpoint/core'

export interface PostgresStoreOptions {
  /** Where the tables are, made if missing. `holdpoint` unless said otherwise. */
  readonly schema?: string
  /** Who wakes a process when a deadline comes: graphile-worker, or nobody (then what is due is only found by asking). */
  readonly dispatcher?: 'graphile' | 'none'
  /** Where graphile-worker keeps its jobs. `<schema>_jobs` unless said otherwise. */
  readonly jobsSchema?: string
  /** How many connections append; a call on one takes all that waits for it. 1 unless said otherwise. */
  readonly lanes?: number
  /** How many connections read. 5 unless said otherwise. */
  readonly readers?: number
  /** How long to wait for an answer of the server before its connection counts as broken. 30 seconds unless said otherwise. */
  readonly timeoutMs?: number
  /** Opens a server that can lose what it acknowledged (`fsync` off and the like), with a warning. */
  readonly allowUnsafe?: boolean
  /** Told what went wrong and was got over: lost connections, news that could not be sent. Nobody, unless given. */
  readonly onWarning?: (message: string, cause?: unknown) => void
  /** For tests: milliseconds by which the database's clock is taken to be ahead of what it says. */
  readonly clockOffset?: () => number
}

export interface Settings extends Required<PostgresStoreOptions> {
  readonly url: string
}

export function settingsOf(url: string, options: PostgresStoreOptions): Settings {
  const { schema = 'holdpoint', dispatcher = 'graphile', lanes = 1, readers = 5, timeoutMs = 30_000 } = options
  const { jobsSchema = `${schema}_jobs`, allowUnsafe = false, clockOffset = () => 0, onWarning = () => {} } = options
  for (const [name, value] of Object.entries({ schema, jobsSchema })) checkIdentifier(name, value)
  for (const [name, value] of Object.entries({ lanes, readers, timeoutMs })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new HoldpointError('config-invalid', `${name} is ${value}: give a whole number above 0.`)
    }
  }
  return {
    url,
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

/** The name stands in SQL as it is, so it can be nothing but a plain one, and short enough to be told from others. */
function checkIdentifier(name: string, value: string): void {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(value)) return
  throw new HoldpointError(
    'config-invalid',
    `${name} is ${JSON.stringify(value)}: give at most 48 small letters, digits and underscores, a letter first.`,
  )
}

/** A warning is given in the middle of getting over something; what the listener throws must not get in the way. */
function safely(onWarning: Settings['onWarning']): Settings['onWarning'] {
  return (message, cause) => {
    try {
      onWarning(message, cause)
    } catch {
      // Whoever listens for warnings is the last one who could be told.
    }
  }
}
