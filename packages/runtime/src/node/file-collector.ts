/** Removes files that no conversation has, and bytes without a document, once an hour in each process that drives. */
import type { Engine } from './engine.ts'

const EVERY_MS = 3_600_000

export class FileCollector {
  readonly #engine: Pick<Engine, 'files' | 'ports' | 'problem'>
  #nextAt = 0
  #pass: Promise<void> | undefined

  constructor(engine: Pick<Engine, 'files' | 'ports' | 'problem'>) {
    this.#engine = engine
  }

  /** Begins a pass when it is time. A pass may take long, so nothing waits for it. */
  look(signal: AbortSignal): void {
    const { files, ports } = this.#engine
    const now = ports.monotonic()
    if (this.#pass || now < this.#nextAt) return
    this.#nextAt = now + EVERY_MS
    this.#pass = files
      .collect(signal)
      .catch((error: unknown) => this.#engine.problem(error))
      .finally(() => (this.#pass = undefined))
  }

  async settled(): Promise<void> {
    await this.#pass
  }
}
