/**
 * Notifications of writes: NOTIFY sends those of this process, and a separate connection with LISTEN receives those of
 * others.
 *
 * - NOTIFY runs in its own transaction shortly after the write. In the write's transaction it would serialize all commits of
 *   the database. Its commit does not wait for the disk, which is left to writes.
 * - A notification may get lost: while the connection is down, or if it is too long. A subscriber that must know reads
 *   `heads`.
 */
import { randomUUID } from 'node:crypto'
import type { Address, Store } from '@holdpoint/core'
import type { Notification } from 'pg'
import { createBatcher } from './batcher.ts'
import type { Connections } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { Settings } from './settings.ts'
import { settleWithin } from './settle-within.ts'
import { StoreClient } from './store-client.ts'

export interface ChangeFeed {
  /**
   * Notifies the listeners of this process at once, and those of other processes soon. `unowned`: the conversation has work
   * and no live owner. `near`: its deadline changed, and is or was near.
   */
  notify(what: Address, seq: number, details: { readonly unowned: boolean; readonly near: boolean }): void
  /** Notifies the listeners of this process that there may be work. */
  notifyHere(what: Address, seq: number): void
  listen(listener: Listener): () => void
  close(): Promise<void>
}

type Listener = Parameters<Store['listen']>[0]

/** `[tenant, id, seq]`, and optionally that the conversation has work without an owner or a deadline that is near. */
type Item = readonly [string, string, number, (typeof UNOWNED | typeof NEAR)?]

const UNOWNED = 1
const NEAR = 2

const WINDOW_MS = 10
/** The server's limit is just below 8000 bytes. */
const MAX_BYTES = 7900
const MAX_ITEMS = 400

const RETRY_MS = { first: 100, most: 10_000 }
/** How often an idle connection is checked. */
const CHECK_MS = 5000
const CLOSE_TIMEOUT_MS = 2000

export async function openChangeFeed(
  settings: Settings,
  { read }: Connections,
  direct: Endpoint,
  onNearDeadline: () => void,
): Promise<ChangeFeed> {
  const { schema, onWarning } = settings
  const sender = randomUUID().slice(0, 8)
  const listeners = new Set<Listener>()
  const notifyListeners: Listener = (...change) => {
    for (const listener of listeners) {
      try {
        listener(...change)
      } catch (error) {
        onWarning('A listener for changes threw an error.', error)
      }
    }
  }
  const outgoing = createBatcher<Item>(
    WINDOW_MS,
    async (items) => {
      const text = `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) payload`
      await read({ name: 'notify', text, values: [schema, payloadsOf(sender, items)] })
    },
    (error) => onWarning('Notifications of writes could not be sent.', error),
  )
  const incoming = await openListener(settings, direct, ({ payload = '' }) => {
    for (const [tenant, id, seq, more] of itemsOf(sender, payload)) {
      if (more === NEAR) onNearDeadline()
      else notifyListeners({ tenant, id }, seq, more === UNOWNED)
    }
  })
  return {
    notifyHere: (what, seq) => notifyListeners(what, seq, true),
    notify: (what, seq, { unowned, near }) => {
      const { tenant, id } = what
      outgoing.add(JSON.stringify([tenant, id]), unowned ? [tenant, id, seq, UNOWNED] : [tenant, id, seq])
      // Under its own key, so that a later write of the conversation does not replace it.
      if (near) outgoing.add('near', [tenant, id, seq, NEAR])
      notifyListeners(what, seq, unowned)
    },
    listen: (given) => {
      // A separate wrapper for each: the same function may be added twice and removed once.
      const listener: Listener = (...change) => given(...change)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {
      await settleWithin(CLOSE_TIMEOUT_MS, outgoing.flush())
      await incoming.close()
    },
  }
}

/** A message starts with its sender, so that a process can ignore its own. */
export function payloadsOf(sender: string, items: readonly Item[]): string[] {
  const payloads: string[] = []
  let part: string[] = []
  let bytes = 0
  const cut = (): void => {
    if (part.length > 0) payloads.push(`${sender}[${part.join(',')}]`)
    part = []
    bytes = sender.length + 2
  }
  cut()
  for (const item of items) {
    const text = JSON.stringify(item)
    const size = Buffer.byteLength(text) + 1
    if (size > MAX_BYTES - 100) continue
    if (part.length === MAX_ITEMS || bytes + size > MAX_BYTES) cut()
    part.push(text)
    bytes += size
  }
  cut()
  return payloads
}

/** Any client of the database can write to the channel, so messages are validated. */
export function itemsOf(self: string, payload: string): readonly Item[] {
  const start = payload.indexOf('[')
  if (start === -1 || payload.slice(0, start) === self) return []
  try {
    const items: unknown = JSON.parse(payload.slice(start))
    return Array.isArray(items) ? items.filter(isItem) : []
  } catch {
    return []
  }
}

function isItem(item: unknown): item is Item {
  if (!Array.isArray(item)) return false
  const [tenant, id, seq] = item as readonly unknown[]
  return typeof tenant === 'string' && typeof id === 'string' && typeof seq === 'number'
}

/** Keeps one connection listening, and replaces it when it breaks. Waits for the first attempt only. */
async function openListener(
  settings: Settings,
  direct: Endpoint,
  onMessage: (message: Notification) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  const { schema, onWarning } = settings
  let client: StoreClient | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let retryMs = RETRY_MS.first

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
      onWarning(`The connection that listens for changes broke; retrying in ${retryMs} ms.`, error)
      timer = setTimeout(() => void connect(), retryMs).unref()
      retryMs = Math.min(RETRY_MS.most, retryMs * 2)
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
      await fresh.query(`listen ${schema}`)
      retryMs = RETRY_MS.first
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
