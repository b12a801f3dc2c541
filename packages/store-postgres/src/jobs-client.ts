/**
 * What graphile-worker is given in place of a plain connection, since two of its habits would do harm.
 *
 * - When it first makes its tables it tells every worker of the database to shut down, and those set the exit code of
 *   their process: its channel for that does not say which schema it is about. We neither send that nor heed it.
 * - When the server is just starting it waits inside itself, for minutes, and cannot be stopped meanwhile. It does so by
 *   the code of the error, so it is shown none.
 */
import type {} from 'graphile-worker'
import { Client, type PoolClient } from 'pg'

const MIGRATED = 'worker:migrate'

type Connected = (error: Error | null) => void

export class JobsClient extends Client {
  override connect(): Promise<Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<Client> | void {
    if (!callback) return super.connect()
    super.connect((error: Error | null) => callback(error && new Error(error.message, { cause: error })))
  }

  override emit(event: string | symbol, ...rest: unknown[]): boolean {
    const [message] = rest as [{ readonly channel?: string } | undefined]
    if (event === 'notification' && message?.channel === MIGRATED) return false
    return super.emit(event, ...rest)
  }
}

/** Graphile-worker's own way to change what migrates its tables: the connection, which leaves one statement out. */
export const quietMigrations: GraphileConfig.Plugin = {
  name: 'holdpoint-quiet-migrations',
  worker: {
    middleware: {
      migrate(next, event) {
        event.client = withoutNotice(event.client)
        return next()
      },
    },
  },
}

function withoutNotice(client: PoolClient): PoolClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'query') return value.bind(target) as unknown
      return (query: unknown, values: unknown, ...rest: unknown[]): unknown => {
        const left = Array.isArray(values) && values[0] === MIGRATED
        return Reflect.apply(value, target, left ? ['select 1'] : [query, values, ...rest])
      }
    },
  })
}
