/**
 * Tells a piece of work to stop. Its signal is made on demand: most calls are over before one is needed, and
 * making it costs more than running them.
 */
export class Stop {
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

  /** Without a reason it is the one that hosts make up. */
  abort(reason?: unknown): void {
    this.#stopped ??= { reason }
    this.#controller?.abort(reason)
  }
}
