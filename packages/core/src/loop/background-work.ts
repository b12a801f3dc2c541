/** Work for a conversation after a turn, in the background. It ends when the process lets go of the conversation. */
import { HoldpointError } from '../failure.ts'
import { OVER } from '../ports.ts'

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

  /** Under a name, once at a time. */
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

/** What a store says of a later write must not be taken for what became of the message: that was written before. */
export function sinceWritten(error: unknown): unknown {
  if (!HoldpointError.is(error) || error.code !== 'store-unavailable') return error
  const message = `What was sent is written, and goes on when the store is back. ${error.message}`
  return new HoldpointError('store-unavailable', message, { cause: error })
}
