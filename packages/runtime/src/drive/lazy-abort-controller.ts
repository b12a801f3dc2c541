/**
 * An `AbortController` whose signal is made on first use. Most calls end without one, and making a signal takes longer than
 * many calls.
 */
export class LazyAbortController {
  #controller: AbortController | undefined
  #stopped: { readonly reason: unknown } | undefined

  get aborted(): boolean {
    return this.#stopped !== undefined
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort(this.#stopped.reason)
    return this.#controller.signal
  }

  /** Without a reason, the signal has the default one (`AbortError`). */
  abort(reason?: unknown): void {
    this.#stopped ??= { reason }
    this.#controller?.abort(reason)
  }
}
