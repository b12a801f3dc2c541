/** The steps of a run, in order: as a hash, which compares two runs of a seed, and as lines if a person reads them. */
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

  /** `more`: details that are computed only if the trace is kept as lines. */
  add(line: string, more?: () => string): void {
    this.#hash = hashText(line, this.#hash)
    if (this.#keep) this.lines.push(more ? `${line} ${more()}` : line)
  }
}
