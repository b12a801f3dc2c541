/** Work that continues after a turn, such as a summary. It is aborted when the conversation leaves memory. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { OVER } from '@holdpoint/core/internal/ports'

export class BackgroundWork {
  readonly #working = new Map<string, Promise<void>>()
  readonly #leaving = new AbortController()
  readonly #problem: (error: unknown) => void

  constructor(problem: (error: unknown) => void) {
    this.#problem = problem
  }

  get busy(): boolean {
    return this.#working.size > 0
  }

  /** Work with the same name runs once at a time. */
  begin(name: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    const { signal } = this.#leaving
    if (this.#working.has(name) || signal.aborted) return
    const working = work(signal).then(
      () => {},
      (error: unknown) => signal.aborted || this.#problem(error),
    )
    this.#working.set(
      name,
      working.then(() => void this.#working.delete(name)),
    )
  }

  leave(): void {
    this.#leaving.abort(OVER)
  }
}

/** The message is already written, so an error of a later write must not be reported as a failed message. */
export function sinceWritten(error: unknown): unknown {
  if (!HoldpointError.is(error) || error.code !== 'store-unavailable') return error
  const message = `The message is written. Its turn continues when the store is available again. ${error.message}`
  return new HoldpointError('store-unavailable', message, { cause: error })
}
