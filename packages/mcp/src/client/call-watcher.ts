/**
 * Cancels a task or an open request when its call is settled without its result. Any process may cancel a held call, and no
 * handler runs then. So this class reads the log, and cancels the remote work when the call has an outcome. Tasks are stored
 * as documents, so that a process finds them again after a restart.
 */
import type { Address, Json, Store } from '@holdpoint/core'

interface Watched {
  readonly address: Address
  readonly callId: string
  readonly settled: () => Promise<unknown>
}

interface StoredTask {
  readonly server: string
  readonly taskId: string
  readonly conversation: string
  readonly callId: string
}

const KIND = 'mcp-task'
const POLL_MS = 5000
/** A task that is older than this is not cancelled any more. */
const STORED_MS = 30 * 86_400_000

export class CallWatcher {
  readonly #store: Store
  readonly #watched = new Map<string, Watched>()
  readonly #checking = new Set<string>()
  readonly #unlisten: () => void
  readonly #timer: NodeJS.Timeout

  constructor(store: Store) {
    this.#store = store
    this.#unlisten = store.listen(({ tenant, id }) => {
      for (const [key, { address }] of this.#watched)
        if (address.tenant === tenant && address.id === id) void this.#check(key)
    })
    // A notification of the store may get lost, and a store may not notify about writes of this process.
    this.#timer = setInterval(() => {
      for (const key of this.#watched.keys()) void this.#check(key)
    }, POLL_MS)
    this.#timer.unref()
  }

  /** Calls `settled` when the call has an outcome, and again until it succeeds. `forget` prevents that. */
  add(address: Address, callId: string, settled: () => Promise<unknown>): void {
    this.#watched.set(keyOf(address, callId), { address, callId, settled })
  }

  forget(address: Address, callId: string): void {
    this.#watched.delete(keyOf(address, callId))
  }

  async storeTask(address: Address, callId: string, server: string, taskId: string): Promise<void> {
    const data: StoredTask = { server, taskId, conversation: address.id, callId }
    const { tenant } = address
    const id = taskDocument(address.id, callId)
    await this.#store.put({ tenant, kind: KIND, id, data: data as unknown as Json, ttlMs: STORED_MS })
  }

  async forgetTask(address: Address, callId: string): Promise<void> {
    this.forget(address, callId)
    await this.#store.put({
      tenant: address.tenant,
      kind: KIND,
      id: taskDocument(address.id, callId),
      data: undefined,
    })
  }

  /** The stored tasks of a server, also of earlier processes. */
  async tasks(tenant: string, server: string): Promise<readonly StoredTask[]> {
    const { items } = await this.#store.documents({ tenant, kind: KIND, limit: 1000 })
    return items.map(({ data }) => data as unknown as StoredTask).filter((each) => each.server === server)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unlisten()
    this.#watched.clear()
  }

  async #check(key: string): Promise<void> {
    const watched = this.#watched.get(key)
    if (!watched || this.#checking.has(key)) return
    this.#checking.add(key)
    try {
      const events = await this.#store.readCall(watched.address, watched.callId)
      if (!events.some(({ type }) => type === 'call.settled') || this.#watched.get(key) !== watched) return
      await watched.settled()
      this.#watched.delete(key)
    } catch {
      // The store or the server is unavailable. The next poll tries again.
    } finally {
      this.#checking.delete(key)
    }
  }
}

function keyOf({ tenant, id }: Address, callId: string): string {
  return JSON.stringify([tenant, id, callId])
}

function taskDocument(conversation: string, callId: string): string {
  return `${callId}@${conversation}`
}
