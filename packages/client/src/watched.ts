/**
 * The result of a request, such as a list of holds, that is sent again whenever something changed. It is sent while there
 * is a listener, one request at a time. Parts of the result that did not change stay the same objects.
 */
import type { Changes } from './changes.ts'
import type { Connection } from './connection.ts'
import { Listeners } from './listeners.ts'
import { keepUnchanged } from './keep-unchanged.ts'

export interface WatchedState<T> {
  /** The newest result. Undefined before the first one. */
  readonly value: T | undefined
  /** Why the newest request failed. `value` is then the older result, if there is one. */
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

  /** Immutable. The same object until something changes. */
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

  /** Sends the request again, after the current one if there is one. */
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
      const result = await this.#ask(signal).then(
        (value) => ({ value: keepUnchanged(this.#state.value, value), error: undefined }),
        (error: Error) => ({ value: this.#state.value, error }),
      )
      if (!signal.aborted) this.#show(result)
    }
    if (this.#asking === asking) this.#asking = undefined
  }

  #show(result: Pick<WatchedState<T>, 'value' | 'error'>): void {
    const { connection } = this.#changes
    const { value, error, connection: before } = this.#state
    if (result.value === value && result.error === error && connection === before) return
    this.#state = { ...result, connection }
    this.#listeners.tell()
  }
}
