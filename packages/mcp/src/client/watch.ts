/**
 * What must end with its call: a task on the server, a call on an open line. A call that waits may be cancelled by any
 * process and no code of ours runs then, so the log is looked at: when it has the outcome, the rest is called off.
 * Tasks are kept as documents, and are found again after a restart.
 */
import type { Address, Json, Store } from '@holdpoint/core'

interface Watched {
  readonly address: Address
  readonly callId: string
  readonly over: () => Promise<unknown>
}

interface KeptTask {
  readonly server: string
  readonly taskId: string
  readonly conversation: string
  readonly callId: string
}

const KIND = 'mcp-task'
const LOOK_MS = 5000
/** A task that nobody has heard of for so long is the server's own business. */
const KEPT_MS = 30 * 86_400_000

export class Watch {
  readonly #store: Store
  readonly #watched = new Map<string, Watched>()
  readonly #looking = new Set<string>()
  readonly #unlisten: () => void
  readonly #timer: NodeJS.Timeout

  constructor(store: Store) {
    this.#store = store
    this.#unlisten = store.listen(({ tenant, id }) => {
      for (const [key, { address }] of this.#watched)
        if (address.tenant === tenant && address.id === id) void this.#look(key)
    })
    // What a store tells may be lost, and it need not tell of our own writes.
    this.#timer = setInterval(() => {
      for (const key of this.#watched.keys()) void this.#look(key)
    }, LOOK_MS)
    this.#timer.unref()
  }

  /** `over` is called, until it succeeds, when the call has its outcome without `forget` having been said. */
  add(address: Address, callId: string, over: () => Promise<unknown>): void {
    this.#watched.set(keyOf(address, callId), { address, callId, over })
  }

  forget(address: Address, callId: string): void {
    this.#watched.delete(keyOf(address, callId))
  }

  async keepTask(address: Address, callId: string, server: string, taskId: string): Promise<void> {
    const data: KeptTask = { server, taskId, conversation: address.id, callId }
    const { tenant } = address
    const id = taskDocument(address.id, callId)
    await this.#store.put({ tenant, kind: KIND, id, data: data as unknown as Json, ttlMs: KEPT_MS })
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

  /** The tasks of a server that earlier processes left. */
  async tasks(tenant: string, server: string): Promise<readonly KeptTask[]> {
    const { items } = await this.#store.documents({ tenant, kind: KIND, limit: 1000 })
    return items.map(({ data }) => data as unknown as KeptTask).filter((each) => each.server === server)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unlisten()
    this.#watched.clear()
  }

  async #look(key: string): Promise<void> {
    const watched = this.#watched.get(key)
    if (!watched || this.#looking.has(key)) return
    this.#looking.add(key)
    try {
      const events = await this.#store.readCall(watched.address, watched.callId)
      if (!events.some(({ type }) => type === 'call.settled') || this.#watched.get(key) !== watched) return
      await watched.over()
      this.#watched.delete(key)
    } catch {
      // The store or the server is away: it is looked at again.
    } finally {
      this.#looking.delete(key)
    }
  }
}

function keyOf({ tenant, id }: Address, callId: string): string {
  return JSON.stringify([tenant, id, callId])
}

function taskDocument(conversation: string, callId: string): string {
  return `${callId}@${conversation}`
}
