/** Removes notes and documents from the store when their time is over. Every process does so now and then. */
import type { Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'

const AT_ONCE = 500
const EVERY_MS = 600_000

export class Sweeper {
  readonly #store: Store
  readonly #ports: Ports
  #nextAt = 0

  constructor(store: Store, ports: Ports) {
    this.#store = store
    this.#ports = ports
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#ports.monotonic()
    if (now < this.#nextAt) return
    this.#nextAt = now + EVERY_MS
    while ((await this.#store.sweep(AT_ONCE)) === AT_ONCE && !signal.aborted);
  }
}
