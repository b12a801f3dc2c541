/**
 * Another server answers than before (`Store.watchServer`), which may lack the newest writes. Every log in memory is compared with it, and
 * the operator is told once, with the number of events that are gone. A log that lost some has been read again by then.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Store } from '@holdpoint/core/internal/log/store'
import { EventsLost } from '../log/known-heads.ts'
import type { AnyActiveLog } from './active-logs.ts'

/** Reads at the same time. */
const LANES = 16

export class ServerChanges {
  readonly #told: (error: HoldpointError) => void
  #changed: string | undefined
  #logs = 0
  #lost = 0

  /** `told` gets the report, `soon` brings the next look. */
  constructor(store: Store, told: (error: HoldpointError) => void, soon: () => void, over: AbortSignal) {
    this.#told = told
    const stop = store.watchServer?.((what) => {
      this.#changed = what
      soon()
    })
    if (stop) over.addEventListener('abort', stop, { once: true })
  }

  /** A log was read again, because the store has lost events of it. */
  rolledBack(error: unknown): void {
    if (this.#changed === undefined || !(error instanceof EventsLost)) return
    this.#logs++
    this.#lost += error.events
  }

  /** Called at each look. Throws while the store does not answer: the next look compares again. */
  async compare(logs: Iterable<AnyActiveLog>): Promise<void> {
    const what = this.#changed
    if (what === undefined) return
    const waiting = [...logs]
    const left = waiting.values()
    let damaged = 0
    const lane = async (): Promise<void> => {
      for (const { log } of left)
        await log.refresh().catch((error: unknown) => {
          if (!HoldpointError.is(error) || error.code !== 'log-damaged') throw error
          damaged++
        })
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
