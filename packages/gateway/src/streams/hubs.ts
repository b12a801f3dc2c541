/** The conversations that are followed from this node, one hub each while anybody needs it. */
import type { Frame, Runtime, Store } from '@holdpoint/core'
import type { Redact } from '../redact.ts'
import { Hub } from './hub.ts'

/** How long a reply is listened to for a reader who has yet to come. */
const WARM_MS = 60_000

export class Hubs {
  readonly #runtime: Runtime
  readonly #store: Store
  readonly #redact: Redact
  readonly #failed: (error: unknown) => void
  readonly #hubs = new Map<string, Hub>()

  constructor(runtime: Runtime, store: Store, redact: Redact, failed: (error: unknown) => void) {
    this.#runtime = runtime
    this.#store = store
    this.#redact = redact
    this.#failed = failed
  }

  /** Entered already: leave it when done. */
  async enter(tenant: string, id: string): Promise<Hub> {
    const key = JSON.stringify([tenant, id])
    const known = this.#hubs.get(key)
    if (known?.inUse) {
      known.enter()
      return known
    }
    const [head = 0] = await this.#store.heads([{ tenant, id }])
    const other = this.#hubs.get(key)
    const hub = other?.inUse ? other : this.#open(key, tenant, id, head)
    hub.enter()
    return hub
  }

  /**
   * Listens to a conversation that somebody is about to say something to: whoever says it and then opens the stream shall
   * find the words that were written meanwhile.
   */
  async warm(tenant: string, id: string): Promise<void> {
    if (this.#hubs.get(JSON.stringify([tenant, id]))?.inUse) return
    const hub = await this.enter(tenant, id)
    const timer = setTimeout(leave, WARM_MS)
    timer.unref()
    let left = false
    function leave(): void {
      if (left) return
      left = true
      clearTimeout(timer)
      hub.leave()
    }
    void hub.rest().then(leave)
  }

  /** To those who follow from this node; on others nobody hears of it. */
  show(tenant: string, id: string, frame: Frame): void {
    this.#hubs.get(JSON.stringify([tenant, id]))?.show(frame)
  }

  #open(key: string, tenant: string, id: string, after: number): Hub {
    const hub = new Hub(this.#runtime.tenant(tenant), id, after, this.#redact, (error) => {
      if (this.#hubs.get(key) === hub) this.#hubs.delete(key)
      if (error !== undefined) this.#failed(error)
    })
    this.#hubs.set(key, hub)
    return hub
  }
}
