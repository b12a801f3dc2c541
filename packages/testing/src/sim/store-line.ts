/**
 * The connection between a node and its store. A request travels, is carried out, and its answer travels back: each is a
 * separate step that may fail. A request that was sent arrives although its sender is paused, and perhaps although its
 * sender died.
 */
import type { Faults, Windows } from './faults.ts'
import type { Random } from './random.ts'
import type { Process, Scheduler } from './scheduler.ts'

export interface StoreSurroundings {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly random: Random
  readonly outages: Windows
  readonly fullDisk: Windows
}

/** The error of a store that cannot be reached. Nodes must cope with it. */
export class StoreAway extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'StoreAway'
  }
}

/** What happens to a request: it may be done although its answer is lost. */
export type Fate = 'fine' | 'not-done' | 'done-unheard'

/** Carries out the request. Returns its answer or throws. `twice`: the request arrives twice. */
export type CarryOut<T> = (fate: Fate, twice: boolean) => Promise<T>

export class StoreLine {
  /** The next request matters more than others. */
  tender = false
  readonly #process: Process
  readonly #generation: number
  readonly #around: StoreSurroundings

  constructor(process: Process, around: StoreSurroundings) {
    this.#process = process
    this.#generation = process.generation
    this.#around = around
  }

  ask<T>(label: string, writes: boolean, carryOut: CarryOut<T>, comesAgain: boolean = writes): Promise<T> {
    const { scheduler, faults, random } = this.#around
    return new Promise((resolve, reject) => {
      if (this.#dead) throw new Error(`${this.#process.name} asks for something after its death: ${label}`)
      const twice = comesAgain && faults.strikes('request-twice')
      const arrive = (): void => {
        carryOut(this.#fate(label, writes), twice).then(
          (value) => this.#answer(label, () => resolve(value)),
          (error: Error) => this.#answer(label, () => reject(error)),
        )
      }
      const again = (): void => void carryOut('fine', true).catch(() => {})
      scheduler.add(this.#process, label, this.#travel(), arrive, true)
      if (twice) scheduler.add(this.#process, `${label} again`, random.between(0, 8000), again, true)
    })
  }

  #answer(label: string, settle: () => void): void {
    const { scheduler, random } = this.#around
    if (this.#dead) return
    // Half of the answers come with the request: fewer steps, and no caller can tell the difference.
    if (this.#process.pausedUntil <= scheduler.now && random.chance(0.5)) return settle()
    scheduler.add(this.#process, `${label} answered`, this.#travel(), settle)
  }

  #travel(): number {
    const { faults, random } = this.#around
    if (faults.strikes('slow-reply')) return random.between(1000, 20_000)
    if (faults.strikes('reordered')) return random.between(5, 60)
    return random.chance(0.7) ? 0 : random.between(1, 5)
  }

  #fate(label: string, writes: boolean): Fate {
    const { scheduler, faults, random, outages, fullDisk } = this.#around
    const away = faults.active && outages.has(scheduler.now)
    if (away) faults.happened('outage')
    const times = this.tender ? 5 : 1
    this.tender = false
    if (away || faults.strikes(writes ? 'write-failed' : 'read-failed', times)) return 'not-done'
    // Takeovers are rare, and a node whose answer is lost owns the conversation without knowing it.
    if (!writes || !faults.strikes('reply-lost', label.startsWith('takeOver') ? 10 : 1)) return 'fine'
    // A lost answer is sometimes the start of a longer outage.
    if (random.chance(0.08)) random.pick([outages, fullDisk]).begin(scheduler.now, random.between(8000, 25_000))
    return 'done-unheard'
  }

  get #dead(): boolean {
    return this.#process.generation !== this.#generation
  }
}
