/** What happened, in order: always as a hash, by which two runs of a seed are compared, and as lines when a person reads them. */
import { hashText } from './random.ts'

export class Trace {
  readonly lines: string[] = []
  readonly #keep: boolean
  #hash = 0x811c9dc5

  constructor(keep: boolean) {
    this.#keep = keep
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  /** `more` is for readers only; it costs nothing while the trace is not read. */
  add(line: string, more?: () => string): void {
    this.#hash = hashText(line, this.#hash)
    if (this.#keep) this.lines.push(more ? `${line} ${more()}` : line)
  }
}
