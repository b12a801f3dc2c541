/**
 * The lease of this process, which it renews while it is alive. Time is the store's: all nodes agree on deadlines, and a
 * wrong clock on one node does not expire a hold early.
 *
 * A node that could not renew its lease in time starts no new work. So a paused process and its successor both work for a
 * short time at most. What keeps the log correct is the epoch, which the store compares.
 */
import type { Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { RepeatedProblem } from '../log/repeated-problem.ts'

export class Lease {
  readonly node: string
  readonly #store: Store
  readonly #ports: Ports
  readonly #ttlMs: number
  readonly #problem: RepeatedProblem
  /** Counts the times that the lease lapsed. */
  term = 0
  #validUntil = -Infinity
  /** The store's time minus the monotonic time of this process. */
  #ahead = 0

  constructor(store: Store, ports: Ports, ttlMs: number, problem: (error: unknown) => void) {
    this.#problem = new RepeatedProblem(problem, () => ports.monotonic())
    this.node = ports.id()
    this.#store = store
    this.#ports = ports
    this.#ttlMs = ttlMs
  }

  /** Whether the lease is valid, as far as this process can know. */
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
    // Counted from before the request, and shortened: the lease must end here before other nodes see it end.
    this.#validUntil = asked + this.#ttlMs * 0.8
  }

  /** Renews the lease until the signal aborts. `regained` is called after the lease had lapsed. */
  async keep(signal: AbortSignal, regained: () => void): Promise<void> {
    let pause = this.#ttlMs / 3
    for (;;) {
      await this.#ports.sleep(pause, signal, 'background')
      if (signal.aborted) return
      const { term } = this
      try {
        await this.beat()
        pause = this.#ttlMs / 3
        this.#problem.worked()
        if (this.term !== term) regained()
      } catch (error) {
        pause = this.#ttlMs / 15
        this.#problem.failed(error)
      }
    }
  }
}
