/**
 * Notifications of writes: collects those of this process for a few milliseconds, and gives those of others to the listeners. A
 * notifier carries them. They may get lost: while a connection is down, or if one is too long. A subscriber that must know reads
 * `heads`.
 */
import { randomUUID } from 'node:crypto'
import type { Address, Store } from '@holdpoint/core'
import { createBatcher } from './batcher.ts'
import type { OpenNotifier } from './notifier.ts'
import type { Settings } from './settings.ts'
import { settleWithin } from './settle-within.ts'

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

const CLOSE_TIMEOUT_MS = 2000

export async function openChangeFeed(
  settings: Pick<Settings, 'schema' | 'onWarning'>,
  openNotifier: OpenNotifier,
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
    (items) => notifier.send(payloadsOf(sender, items)),
    (error) => onWarning('Notifications of writes could not be sent.', error),
  )
  const received = (message: string): void => {
    for (const [tenant, id, seq, more] of itemsOf(sender, message)) {
      if (more === NEAR) onNearDeadline()
      else notifyListeners({ tenant, id }, seq, more === UNOWNED)
    }
  }
  const notifier = await openNotifier({ channel: schema, maxBytes: MAX_BYTES, received, onWarning })
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
      await notifier.close()
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
