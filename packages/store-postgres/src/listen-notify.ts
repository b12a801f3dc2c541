/**
 * The notifier that needs nothing but the database: NOTIFY sends, and a separate connection with LISTEN receives.
 *
 * NOTIFY runs in its own transaction shortly after the write. In the write's transaction it would serialize all commits of the
 * database. Its commit does not wait for the disk, which is left to writes.
 */
import type { Notification } from 'pg'
import type { Connections } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { NotifierContext, OpenNotifier } from './notifier.ts'
import { openReconnect } from './reconnect.ts'
import { settleWithin } from './settle-within.ts'
import { StoreClient } from './store-client.ts'

/** How often an idle connection is checked. */
const CHECK_MS = 5000
const CLOSE_TIMEOUT_MS = 2000

export function listenNotify({ read }: Connections, direct: Endpoint): OpenNotifier {
  return async (context) => {
    const incoming = await openListener(direct, context)
    return {
      send: async (messages) => {
        const text = `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) payload`
        await read({ name: 'notify', text, values: [context.channel, messages] })
      },
      close: () => incoming.close(),
    }
  }
}

/** Keeps one connection listening, and replaces it when it breaks. Waits for the first attempt only. */
async function openListener(
  direct: Endpoint,
  { channel, received, onWarning }: NotifierContext,
): Promise<{ readonly close: () => Promise<void> }> {
  const onMessage = ({ payload = '' }: Notification): void => received(payload)
  let client: StoreClient | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const reconnect = openReconnect(onWarning)

  const connect = async (): Promise<void> => {
    const fresh = new StoreClient(direct.config)
    let ended = false
    const lost = (error?: unknown): void => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      fresh.removeListener('notification', onMessage)
      void fresh.end().catch(() => {})
      if (closed) return
      const pause = reconnect.failed('The connection that listens for changes broke, and is opened again.', error)
      timer = setTimeout(() => void connect(), pause).unref()
    }
    // Before anything else: a client that fails without an error handler ends the process.
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', onMessage)
    client = fresh
    const check = (): void => {
      fresh.query('select 1').then(() => {
        if (!ended && !closed) timer = setTimeout(check, CHECK_MS).unref()
      }, lost)
    }
    try {
      await fresh.connect()
      await fresh.identify()
      await fresh.query(`listen ${channel}`)
      reconnect.worked()
      // A program that waits for changes keeps itself alive. The connection alone does not.
      unref(fresh)
      if (closed) await fresh.end()
      else if (!ended) timer = setTimeout(check, CHECK_MS).unref()
    } catch (error) {
      lost(error)
    }
  }
  await connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      if (client) await settleWithin(CLOSE_TIMEOUT_MS, client.end())
    },
  }
}

/** The types of pg do not name it. */
function unref(client: StoreClient): void {
  ;(client as StoreClient & { unref(): void }).unref()
}
