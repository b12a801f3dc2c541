/** Decides when to look for due logs: at a fixed interval, and at the next known deadline. */
import { OVER, type Ports } from '@holdpoint/core/internal/ports'

const SHORTEST_NAP = 5

export class Scheduler {
  readonly #ports: Ports
  readonly #everyMs: number
  #next = Infinity
  /** When the last look began. A log that was due then and still is due needs no earlier look. */
  #looked = -Infinity
  #nap: AbortController | undefined

  constructor(ports: Ports, everyMs: number) {
    this.#ports = ports
    this.#everyMs = everyMs
  }

  /** The next look begins at this time at the latest. */
  wakeAt(at: number): void {
    if (at >= this.#next || at <= this.#looked) return
    this.#next = at
    this.#nap?.abort(OVER)
  }

  /** There may be work: looks at once. Several calls before the look cause one look. */
  soon(): void {
    this.#next = Math.min(this.#next, this.#looked + SHORTEST_NAP)
    this.#nap?.abort(OVER)
  }

  async keep(
    signal: AbortSignal,
    look: () => Promise<{ readonly next: number | undefined; readonly more: boolean }>,
  ): Promise<void> {
    while (!signal.aborted) {
      this.#next = Infinity
      this.#looked = this.#ports.now()
      const { next = Infinity, more } = await look()
      // The store's clock may be slightly behind.
      this.#next = Math.min(this.#next, Math.max(next, this.#ports.now() + SHORTEST_NAP))
      if (!more) await this.#sleep(signal)
    }
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    const latest = this.#ports.now() + this.#everyMs
    while (!signal.aborted) {
      const left = Math.min(latest, this.#next) - this.#ports.now()
      if (left <= 0) return
      const nap = new AbortController()
      const wake = (): void => nap.abort(OVER)
      signal.addEventListener('abort', wake, { once: true })
      this.#nap = nap
      await this.#ports.sleep(left, nap.signal, 'background')
      this.#nap = undefined
      signal.removeEventListener('abort', wake)
    }
  }
}
