/** What a driver has under way: one piece of work for each effect, until what it brought is written. */
import type { EventBody } from '../log/log-event.ts'
import type { StateUpdate } from '../plugin/state.ts'
import type { Effect } from '../turn/turn-state.ts'
import { LogAhead, type LogView } from './log-view.ts'
import { Stop } from './stop.ts'

export type Brought = readonly (EventBody | StateUpdate)[]

export interface Work {
  readonly effect: Effect
  readonly stop: Stop
  /** The call that will start if this work lets it. */
  readonly admits: string | undefined
  /** Set while what it follows from is not written. */
  ahead: LogAhead | undefined
  /** Resolves when there are events, or a failure. */
  done: Promise<void>
  /** Set when the work is done and its events wait to be written. */
  events?: Brought
  /** Set when it broke: not a tool that failed, which is an outcome, but our code or a plugin's. */
  failure?: unknown
}

const DONE = Promise.resolve()

export class Works {
  readonly #byKey = new Map<string, Work>()
  /** Called when one of them is done. */
  readonly #wake: () => void

  constructor(wake: () => void) {
    this.#wake = wake
  }

  get size(): number {
    return this.#byKey.size
  }

  [Symbol.iterator](): Iterator<Work> {
    return this.#byKey.values()
  }

  has(effect: Effect): boolean {
    return this.#byKey.has(effect.key)
  }

  begin(effect: Effect, log: LogView, perform: (stop: Stop) => Brought | Promise<Brought>, admits?: string): Work {
    const stop = new Stop()
    const ahead = log instanceof LogAhead ? log : undefined
    const work: Work = { effect, stop, admits, ahead, done: DONE }
    this.#byKey.set(effect.key, work)
    try {
      const brought = perform(stop)
      if (brought instanceof Promise)
        work.done = brought.then(
          (events) => this.#brought(work, events),
          (error: unknown) => this.#broke(work, error),
        )
      else this.#brought(work, brought)
    } catch (error) {
      this.#broke(work, error)
    }
    return work
  }

  #brought(work: Work, events: Brought): void {
    work.events = events
    this.#wake()
  }

  #broke(work: Work, error: unknown): void {
    work.failure = error ?? new Error('work failed without saying why')
    this.#wake()
  }

  /** What these brought is written, and with it what others went ahead of. */
  written(done: readonly Work[]): void {
    for (const { effect, ahead } of done) {
      this.#byKey.delete(effect.key)
      ahead?.land()
    }
    for (const work of this) {
      work.ahead?.land()
      work.ahead = undefined
    }
  }

  drop(which: (work: Work) => boolean): void {
    for (const [key, work] of this.#byKey) {
      if (!which(work)) continue
      work.stop.abort()
      this.#byKey.delete(key)
    }
  }
}
