/**
 * The driver that begins with what sets a resting conversation going, before that is written. It has begun what nobody
 * else knows of, so whoever drives next waits until it is written, and goes on with this driver and no other.
 */
import type { Draft } from './draft.ts'
import type { Driver } from './driver.ts'
import type { Written } from './log-options.ts'

export class Opening {
  #driver: Driver | undefined
  #writing: Promise<void> | undefined

  /** Resolves once it is known what became of it. */
  get writing(): Promise<void> | undefined {
    return this.#writing
  }

  /** It is being written, or was and nobody has gone on with it yet. */
  get busy(): boolean {
    return this.#driver !== undefined
  }

  begin(driver: Driver, draft: Draft, write: () => Promise<Written>): Promise<Written> {
    this.#driver = driver
    const written = this.#open(driver, draft, write)
    const over = (): void => {
      this.#writing = undefined
    }
    this.#writing = written.then(over, over)
    return written
  }

  /** For whoever drives. */
  take(): Driver | undefined {
    const driver = this.#driver
    this.#driver = undefined
    return driver
  }

  drain(): void {
    if (this.#driver) this.#driver.draining = true
  }

  /** Whatever becomes of what is being written, nobody goes on with it here. */
  abandon(): void {
    this.#driver?.abandon()
  }

  async #open(driver: Driver, draft: Draft, write: () => Promise<Written>): Promise<Written> {
    try {
      return await driver.open(draft, write)
    } finally {
      // It came to nothing, or there is nothing left to do: then any driver will do.
      if (!driver.busy) this.take()
    }
  }
}
