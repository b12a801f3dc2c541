/** The conversations that are streamed from this node: one hub each, while it has users. */
import type { Address, Store } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import type { CallClaims } from '../call-claims.ts'
import type { Redact } from '../redact.ts'
import { Hub } from './hub.ts'

/** How long a hub without readers stays open after a message, for a reader that connects next. */
const WARM_MS = 60_000
/** Progress is read for at most this many open calls of one conversation. */
const MAX_CALLS = 100

interface Sources {
  readonly runtime: Runtime
  readonly store: Store
  readonly claims: CallClaims
}

export class Hubs {
  readonly #runtime: Runtime
  readonly #store: Store
  readonly #claims: CallClaims
  readonly #redact: Redact
  readonly #failed: (error: unknown) => void
  readonly #hubs = new Map<string, Hub>()

  constructor({ runtime, store, claims }: Sources, redact: Redact, failed: (error: unknown) => void) {
    this.#runtime = runtime
    this.#store = store
    this.#claims = claims
    this.#redact = redact
    this.#failed = failed
  }

  /** Returns the hub with this user counted. Call `leave` when done. */
  async enter(tenant: string, id: string): Promise<Hub> {
    const key = JSON.stringify([tenant, id])
    const known = this.#hubs.get(key)
    if (known?.inUse) {
      known.enter()
      return known
    }
    const [head = 0] = await this.#store.heads([{ tenant, id }])
    // Read the holds after the head, so that the events contain every later change.
    const query = { tenant, conversationId: id, kind: 'external', limit: MAX_CALLS } as const
    const { items } = head > 0 ? await this.#store.pending(query) : { items: [] }
    const other = this.#hubs.get(key)
    const hub = other?.inUse ? other : this.#open({ tenant, id }, head, items)
    hub.enter()
    return hub
  }

  /**
   * Opens the hub before a message is sent. A client that sends a message and then opens the stream gets the text that
   * was written in between.
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
    void hub.untilIdle().then(leave)
  }

  /** Sends progress to the readers on this node at once. Other nodes find it in the claim. */
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
      onEnd: (error) => {
        if (this.#hubs.get(key) === hub) this.#hubs.delete(key)
        if (error !== undefined) this.#failed(error)
      },
    })
    this.#hubs.set(key, hub)
    return hub
  }
}
