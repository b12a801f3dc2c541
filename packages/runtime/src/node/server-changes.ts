/**
 * Another server answers than before (`Store.watchServer`), which may lack the newest writes. Every log in memory is compared with it, and
 * the operator is told once, with the number of events that are gone. A log that lost some has been read again by then.
 *
 * The logs that left memory last are looked at, too: one that was at rest then may have work again, with this process as its owner.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { EventsLost } from '../log/known-heads.ts'
import { keyOf, type AnyActiveLog } from './active-logs.ts'

/** Reads at the same time. */
const LANES = 16
/** What a standby lacks is what happened last. */
const REMEMBERED = 10_000

export class ServerChanges {
  readonly #told: (error: HoldpointError) => void
  #changed: string | undefined
  #logs = 0
  #lost = 0
  readonly #watches: boolean
  /** The logs that left memory, the newest last. */
  readonly #left = new Map<string, Address>()

  /** `told` gets the report, `soon` brings the next look. */
  constructor(store: Store, told: (error: HoldpointError) => void, soon: () => void, over: AbortSignal) {
    this.#told = told
    const stop = store.watchServer?.((what) => {
      this.#changed = what
      soon()
    })
    this.#watches = stop !== undefined
    if (stop) over.addEventListener('abort', stop, { once: true })
  }

  /** A log was read again, because the store has lost events of it. */
  rolledBack(error: unknown): void {
    if (this.#changed === undefined || !(error instanceof EventsLost)) return
    this.#logs++
    this.#lost += error.events
  }

  /** A log left memory. */
  left(address: Address): void {
    if (!this.#watches) return
    const key = keyOf(address)
    this.#left.delete(key)
    this.#left.set(key, address)
    if (this.#left.size > REMEMBERED) this.#left.delete(this.#left.keys().next().value ?? '')
  }

  /**
   * Called at each look. `look` lets a log look for work. Throws while the store does not answer: the next look compares again.
   */
  async compare(logs: Iterable<AnyActiveLog>, look: (address: Address) => Promise<unknown>): Promise<void> {
    const what = this.#changed
    if (what === undefined) return
    const waiting = [...logs]
    const [inMemory, before] = [waiting.values(), [...this.#left.values()].values()]
    let damaged = 0
    const lane = async (): Promise<void> => {
      for (const { log } of inMemory)
        await log.refresh().catch((error: unknown) => {
          if (!HoldpointError.is(error) || error.code !== 'log-damaged') throw error
          damaged++
        })
      for (const address of before) await look(address)
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    // Yet another server may answer by now.
    if (this.#changed !== what) return
    const lost =
      this.#lost === 0
        ? 'None of them has lost events.'
        : `${this.#logs} of them lost ${this.#lost} acknowledged events, and go on from what the store has.`
    const unread = damaged === 0 ? '' : ` ${damaged} of them cannot be read.`
    this.#changed = undefined
    this.#logs = this.#lost = 0
    this.#told(
      new HoldpointError(
        'store-replaced',
        `Another server answers than before: ${what}. Compared with it: the ${waiting.length} logs in memory. ${lost}${unread}`,
      ),
    )
  }
}
