/**
 * A connection for graphile-worker that avoids two of its hazards.
 *
 * - When it first creates its tables, it tells every worker of the database to shut down, whatever its schema, and those
 *   workers set the exit code of their process. This connection neither sends nor receives that notification.
 * - While the server is starting, it waits internally for minutes and cannot be stopped. It recognises that state by the
 *   error code, so this connection removes the code.
 */
import type {} from 'graphile-worker'
import type { Client, PoolClient } from 'pg'
import { StoreClient } from './store-client.ts'

const MIGRATED = 'worker:migrate'

type Connected = (error: Error | null) => void

export class JobsClient extends StoreClient {
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

/** Replaces the connection of graphile-worker's migrations by one that skips the notification. */
export const quietMigrations: GraphileConfig.Plugin = {
  name: 'holdpoint-quiet-migrations',
  worker: {
    middleware: {
      migrate(next, event) {
        event.client = withoutNotification(event.client)
        return next()
      },
    },
  },
}

function withoutNotification(client: PoolClient): PoolClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'query') return value.bind(target) as unknown
      return (query: unknown, values: unknown, ...rest: unknown[]): unknown => {
        const isNotification = Array.isArray(values) && values[0] === MIGRATED
        return Reflect.apply(value, target, isNotification ? ['select 1'] : [query, values, ...rest])
      }
    },
  })
}
