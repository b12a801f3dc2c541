/**
 * This process as a node among others: it says that it lives, and knows for how long the others believe it. Time is the
 * store's: all nodes agree on deadlines, and a wrong clock on one node does not let a hold expire early.
 *
 * A node that could not say so in time begins nothing new. That keeps the window small in which a paused process and its
 * successor both work; what keeps the log right is the epoch, compared by the store.
 */
import type { Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'

export class Lease {
  readonly node: string
  readonly #store: Store
  readonly #ports: Ports
  readonly #ttlMs: number
  /** Counts the times that others may have believed this node gone. */
  term = 0
  #validUntil = -Infinity
  /** What to add to our monotonic time to get the store's. */
  #ahead = 0

  constructor(store: Store, ports: Ports, ttlMs: number) {
    this.node = ports.id()
    this.#store = store
    this.#ports = ports
    this.#ttlMs = ttlMs
  }

  /** Whether the others still count on this node, as far as it can know. */
  get valid(): boolean {
    return this.#ports.monotonic() < this.#validUntil
  }

  /** The store's time. */
  now(): number {
    return Math.round(this.#ports.monotonic() + this.#ahead)
  }

  async beat(): Promise<void> {
    const asked = this.#ports.monotonic()
    const now = await this.#store.beat(this.node, this.#ttlMs)
    if (!this.valid) this.term++
    this.#ahead = now - this.#ports.monotonic()
    // Counted from before the question, and a little less: when in doubt, it is over here before it is over there.
    this.#validUntil = asked + this.#ttlMs * 0.8
  }

  /** Beats until the signal aborts. `regained` is called when the lease was lost for a while. */
  async keep(signal: AbortSignal, regained: () => void, failed: (error: unknown) => void): Promise<void> {
    let pause = this.#ttlMs / 3
    for (;;) {
      await this.#ports.sleep(pause, signal, 'background')
      if (signal.aborted) return
      const { term } = this
      try {
        await this.beat()
        pause = this.#ttlMs / 3
        if (this.term !== term) regained()
      } catch (error) {
        pause = this.#ttlMs / 15
        failed(error)
      }
    }
  }
}
