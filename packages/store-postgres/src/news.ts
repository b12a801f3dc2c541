/**
 * News of writes: what this process wrote goes out in a NOTIFY, and what others wrote comes in on a connection that does
 * nothing but LISTEN.
 *
 * - Going out it has a transaction of its own, a moment after the write: NOTIFY in the write's transaction would make
 *   every commit of the database wait in one line. That one does not wait for the disk, which writes need more.
 * - It may get lost: while the connection is away, or when a message does not fit. Whoever must know asks for `heads`.
 */
import { randomUUID } from 'node:crypto'
import type { Address, Store } from '@holdpoint/core'
import { Client, type Notification } from 'pg'
import { gather } from './coalesce.ts'
import { clientOf, type Connections } from './connections.ts'
import type { Settings } from './options.ts'
import { within } from './patience.ts'

export interface News {
  /**
   * Tells the listeners of this process at once, and those of the others soon. `work`: there is some, and nobody at it.
   * `near`: its deadline changed, and is near or was.
   */
  spread(what: Address, seq: number, told: { readonly work: boolean; readonly near: boolean }): void
  /** Tells the listeners of this process that there may be something to do. */
  look(what: Address, seq: number): void
  listen(changed: Changed): () => void
  close(): Promise<void>
}

type Changed = Parameters<Store['listen']>[0]

/** `[tenant, id, seq]`, and then what there is to say beyond that: work that nobody is at, a deadline that is near. */
type Item = readonly [string, string, number, (typeof WORK | typeof NEAR)?]

const WORK = 1
const NEAR = 2

const WINDOW_MS = 10
/** The server takes less than 8000 bytes. */
const MOST_BYTES = 7900
const MOST_ITEMS = 400

const RETRY_MS = { first: 100, most: 10_000 }
/** How often a silent connection is asked whether it is still there. */
const CHECK_MS = 15_000
const GOODBYE_MS = 2000

export async function openNews(settings: Settings, { read }: Connections, heardOfNear: () => void): Promise<News> {
  const { schema, onWarning } = settings
  const me = randomUUID().slice(0, 8)
  const listeners = new Set<Changed>()
  const tell: Changed = (...news) => {
    for (const listener of listeners) {
      try {
        listener(...news)
      } catch (error) {
        onWarning('Somebody who listens for changes threw.', error)
      }
    }
  }
  const outgoing = gather<Item>(
    WINDOW_MS,
    async (items) => {
      const text = `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) payload`
      await read({ name: 'notify', text, values: [schema, payloadsOf(me, items)] })
    },
    (error) => onWarning('News of writes could not be sent.', error),
  )
  const incoming = await openListener(settings, ({ payload = '' }) => {
    for (const [tenant, id, seq, more] of itemsOf(me, payload)) {
      if (more === NEAR) heardOfNear()
      else tell({ tenant, id }, seq, more === WORK)
    }
  })
  return {
    look: (what, seq) => tell(what, seq, true),
    spread: (what, seq, { work, near }) => {
      const { tenant, id } = what
      outgoing.add(JSON.stringify([tenant, id]), work ? [tenant, id, seq, WORK] : [tenant, id, seq])
      // A later write would take the place of the one that said so.
      if (near) outgoing.add('near', [tenant, id, seq, NEAR])
      tell(what, seq, work)
    },
    listen: (changed) => {
      // A wrapper of its own for each: the same function may listen twice, and stop once.
      const listener: Changed = (...news) => changed(...news)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {
      await within(GOODBYE_MS, outgoing.flush())
      await incoming.close()
    },
  }
}

/** A message says who sent it, since its own news is no news to a process, and then what changed. */
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
    if (size > MOST_BYTES - 100) continue
    if (part.length === MOST_ITEMS || bytes + size > MOST_BYTES) cut()
    part.push(text)
    bytes += size
  }
  cut()
  return payloads
}

/** Anybody who may connect may write to the channel, so what comes is looked at before it is believed. */
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

/** Keeps one connection listening, and makes it anew when it breaks. The first one is awaited, if it comes. */
async function openListener(
  settings: Settings,
  heard: (message: Notification) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  const { schema, onWarning } = settings
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let retryMs = RETRY_MS.first

  const connect = async (): Promise<void> => {
    const fresh = new Client(clientOf(settings))
    let over = false
    const lost = (error?: unknown): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      fresh.removeListener('notification', heard)
      void fresh.end().catch(() => {})
      if (closed) return
      onWarning(`The connection that listens for changes broke; trying again in ${retryMs} ms.`, error)
      timer = setTimeout(() => void connect(), retryMs)
      retryMs = Math.min(RETRY_MS.most, retryMs * 2)
    }
    // Before anything else: a client that breaks with nobody to hear it takes the process along.
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', heard)
    client = fresh
    const check = (): void => {
      fresh.query('select 1').then(() => {
        if (!over && !closed) timer = setTimeout(check, CHECK_MS)
      }, lost)
    }
    try {
      await fresh.connect()
      await fresh.query(`listen ${schema}`)
      retryMs = RETRY_MS.first
      if (closed) await fresh.end()
      else if (!over) timer = setTimeout(check, CHECK_MS)
    } catch (error) {
      lost(error)
    }
  }
  await connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      if (client) await within(GOODBYE_MS, client.end())
    },
  }
}
