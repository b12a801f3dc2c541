/** The conversations that are followed from this node, one hub each while anybody needs it. */
import type { Address, Runtime, Store } from '@holdpoint/core'
import type { Claims } from '../claims.ts'
import type { Redact } from '../redact.ts'
import { Hub } from './hub.ts'

/** How long a reply is listened to for a reader who has yet to come. */
const WARM_MS = 60_000
/** Of more open calls than that of one conversation, nobody follows the work. */
const MOST_CALLS = 100

interface Followed {
  readonly runtime: Runtime
  readonly store: Store
  readonly claims: Claims
}

export class Hubs {
  readonly #runtime: Runtime
  readonly #store: Store
  readonly #claims: Claims
  readonly #redact: Redact
  readonly #failed: (error: unknown) => void
  readonly #hubs = new Map<string, Hub>()

  constructor({ runtime, store, claims }: Followed, redact: Redact, failed: (error: unknown) => void) {
    this.#runtime = runtime
    this.#store = store
    this.#claims = claims
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
    // After that, so that the events tell of every change to it.
    const query = { tenant, conversationId: id, kind: 'external', limit: MOST_CALLS } as const
    const { items } = head > 0 ? await this.#store.pending(query) : { items: [] }
    const other = this.#hubs.get(key)
    const hub = other?.inUse ? other : this.#open({ tenant, id }, head, items)
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

  /** To those who follow from this node, at once; on others it is found with the claim. */
  show(tenant: string, id: string, frame: Parameters<Hub['show']>[0]): void {
    this.#hubs.get(JSON.stringify([tenant, id]))?.show(frame)
  }

  #open({ tenant, id }: Address, after: number, calls: readonly { readonly callId: string }[]): Hub {
    const key = JSON.stringify([tenant, id])
    const hub = new Hub({
      runtime: this.#runtime.tenant(tenant),
      id,
      after,
      calls: calls.map(({ callId }) => callId),
      progressOf: (callId) => this.#claims.progressOf(tenant, callId),
      redact: this.#redact,
      over: (error) => {
        if (this.#hubs.get(key) === hub) this.#hubs.delete(key)
        if (error !== undefined) this.#failed(error)
      },
    })
    this.#hubs.set(key, hub)
    return hub
  }
}
