/** The text in one field of a JSON object, while the object is still being written. */

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

export class PartialText {
  /** Matches the JSON before the text. The same characters inside another field match too, which a frame may get wrong. */
  readonly #start: RegExp
  /** JSON that is not read yet. */
  #rest = ''
  #at: 'before' | 'inside' | 'after' = 'before'

  constructor(field: string) {
    this.#start = new RegExp(String.raw`"${field}"\s*:\s*"`)
  }

  /** The text that this piece of JSON adds. */
  add(piece: string): string {
    if (this.#at === 'after') return ''
    this.#rest += piece
    if (this.#at === 'before') {
      const start = this.#start.exec(this.#rest)
      if (!start) return ''
      this.#rest = this.#rest.slice(start.index + start[0].length)
      this.#at = 'inside'
    }
    return this.#read()
  }

  #read(): string {
    let text = ''
    let at = 0
    while (at < this.#rest.length) {
      const char = this.#rest[at]
      if (char === '"') {
        this.#at = 'after'
        break
      }
      const [decoded, length] = char === '\\' ? escaped(this.#rest, at) : [char, 1]
      if (decoded === undefined) break // the rest of the escape is in the next piece
      text += decoded
      at += length
    }
    this.#rest = this.#at === 'after' ? '' : this.#rest.slice(at)
    return text
  }
}

function escaped(json: string, at: number): readonly [string | undefined, number] {
  const kind = json[at + 1]
  if (kind === undefined) return [undefined, 0]
  if (kind !== 'u') return [ESCAPES[kind] ?? kind, 2]
  const digits = json.slice(at + 2, at + 6)
  return digits.length < 4 ? [undefined, 0] : [String.fromCharCode(Number.parseInt(digits, 16)), 6]
}
