/** Removes expired notes and documents from the store, every ten minutes in each process. */
import type { Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import type { Retention } from './retention.ts'

const AT_ONCE = 500
const EVERY_MS = 600_000

export class Sweeper {
  readonly #store: Store
  readonly #ports: Ports
  readonly #retention: Pick<Retention, 'look' | 'settled'>
  #nextAt = 0

  constructor(store: Store, ports: Ports, retention: Pick<Retention, 'look' | 'settled'>) {
    this.#store = store
    this.#ports = ports
    this.#retention = retention
  }

  async sweep(signal: AbortSignal): Promise<void> {
    this.#retention.look(signal)
    const now = this.#ports.monotonic()
    if (now < this.#nextAt) return
    this.#nextAt = now + EVERY_MS
    while ((await this.#store.sweep(AT_ONCE)) === AT_ONCE && !signal.aborted);
  }

  /** Waits for the conversations that are being erased. */
  settled(): Promise<void> {
    return this.#retention.settled()
  }
}
