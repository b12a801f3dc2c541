/**
 * The answer to a question, asked again whenever something changed: a list of holds, for instance. It is asked while
 * somebody listens, one question at a time; what did not change in the answer is the same object as before.
 */
import type { Changes } from './changes.ts'
import type { Connection } from './connection.ts'
import { Listeners } from './listeners.ts'
import { shared } from './shared.ts'

export interface WatchedState<T> {
  /** The newest answer; undefined before the first. */
  readonly value: T | undefined
  /** Why the newest question had no answer. The value, if there is one, is from before. */
  readonly error: Error | undefined
  readonly connection: Connection
}

export class Watched<T> {
  readonly #changes: Changes
  readonly #ask: (signal: AbortSignal) => Promise<T>
  readonly #listeners = new Listeners<void>()
  #state: WatchedState<T> = { value: undefined, error: undefined, connection: { state: 'off' } }
  #leave: (() => void) | undefined
  #asking: AbortController | undefined
  #again = false

  constructor(changes: Changes, ask: (signal: AbortSignal) => Promise<T>) {
    this.#changes = changes
    this.#ask = ask
  }

  /** Immutable, and the same object until something changed. */
  get state(): WatchedState<T> {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#leave ??= this.#changes.subscribe(() => this.refresh())
    this.refresh()
    return () => {
      remove()
      if (this.#listeners.size > 0) return
      this.#leave?.()
      this.#leave = undefined
      this.#asking?.abort()
      this.#asking = undefined
    }
  }

  /** Asks again, after the question under way if there is one. */
  refresh(): void {
    this.#again = true
    if (!this.#asking) void this.#askOn()
  }

  async #askOn(): Promise<void> {
    const asking = new AbortController()
    this.#asking = asking
    const { signal } = asking
    while (this.#again && !signal.aborted) {
      this.#again = false
      const told = await this.#ask(signal).then(
        (value) => ({ value: shared(this.#state.value, value), error: undefined }),
        (error: Error) => ({ value: this.#state.value, error }),
      )
      if (!signal.aborted) this.#show(told)
    }
    if (this.#asking === asking) this.#asking = undefined
  }

  #show(told: Pick<WatchedState<T>, 'value' | 'error'>): void {
    const { connection } = this.#changes
    const { value, error, connection: before } = this.#state
    if (told.value === value && told.error === error && connection === before) return
    this.#state = { ...told, connection }
    this.#listeners.tell()
  }
}
