/** Background work on the whole store: removes expired notes and documents, erases what is old, collects unused files, signs heads. */
import type { Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'

/** Looks whether it is time for its work, and does it in the background. */
export interface Pass {
  look(signal: AbortSignal): void
  settled(): Promise<void>
}

const AT_ONCE = 500
const EVERY_MS = 600_000

export class Sweeper {
  readonly #store: Store
  readonly #ports: Ports
  readonly #passes: readonly Pass[]
  #nextAt = 0

  constructor(store: Store, ports: Ports, passes: readonly (Pass | undefined)[]) {
    this.#store = store
    this.#ports = ports
    this.#passes = passes.filter((pass) => pass !== undefined)
  }

  async sweep(signal: AbortSignal): Promise<void> {
    for (const pass of this.#passes) pass.look(signal)
    const now = this.#ports.monotonic()
    if (now < this.#nextAt) return
    this.#nextAt = now + EVERY_MS
    while ((await this.#store.sweep(AT_ONCE)) === AT_ONCE && !signal.aborted);
  }

  /** Waits for what is being erased and signed. */
  async settled(): Promise<void> {
    await Promise.all(this.#passes.map((pass) => pass.settled()))
  }
}
