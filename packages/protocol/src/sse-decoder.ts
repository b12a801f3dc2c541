/**
 * Reads server-sent events as they arrive, in pieces of any size: by the rules of the HTML standard, but for two things. A
 * message that is larger than the cap is refused, since a stream that never ends its line would fill the memory; and
 * the event's name is `message` only when the sender gave none.
 */
export interface DecodedSse {
  readonly event: string
  readonly data: string
  /** The last id the stream gave, of this message or an earlier one. */
  readonly id: string
}

export class SseDecoder {
  readonly #cap: number
  #rest = ''
  #data: string[] = []
  #size = 0
  #event = ''
  #id: string
  #retry: number | undefined
  #first = true

  /** `id`: where the stream is taken up again. */
  constructor({ maxChars = 4_000_000, id = '' }: { readonly maxChars?: number; readonly id?: string } = {}) {
    this.#cap = maxChars
    this.#id = id
  }

  /** What to come again with. */
  get lastId(): string {
    return this.#id
  }

  /** How long the sender asks to wait before coming again, if it said. */
  get retryMs(): number | undefined {
    return this.#retry
  }

  /** The messages that are whole now. */
  push(text: string): DecodedSse[] {
    let rest = this.#rest + text
    if (this.#first && rest !== '') {
      if (rest.startsWith('\uFEFF')) rest = rest.slice(1)
      this.#first = false
    }
    const messages: DecodedSse[] = []
    let from = 0
    for (;;) {
      const end = lineEnd(rest, from)
      if (!end) break
      const message = this.#line(rest.slice(from, end.at))
      if (message) messages.push(message)
      from = end.next
    }
    this.#rest = rest.slice(from)
    this.#check(this.#rest.length)
    return messages
  }

  #line(line: string): DecodedSse | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined
    const field = colon < 0 ? line : line.slice(0, colon)
    const raw = colon < 0 ? '' : line.slice(colon + 1)
    this.#field(field, raw.startsWith(' ') ? raw.slice(1) : raw)
    return undefined
  }

  #field(field: string, value: string): void {
    if (field === 'data') {
      this.#check(value.length)
      this.#size += value.length
      this.#data.push(value)
    } else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retry = Number(value)
  }

  #dispatch(): DecodedSse | undefined {
    const { length } = this.#data
    const message = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id }
    this.#data = []
    this.#size = 0
    this.#event = ''
    return length > 0 ? message : undefined
  }

  #check(more: number): void {
    if (this.#size + more > this.#cap)
      throw new RangeError(`An event of the stream is larger than ${this.#cap} characters.`)
  }
}

/** A line ends with LF, CR, or both. A CR at the very end may be half of both, so it waits. */
function lineEnd(text: string, from: number): { readonly at: number; readonly next: number } | undefined {
  const found = /[\r\n]/.exec(from === 0 ? text : text.slice(from))
  if (!found) return undefined
  const at = from + found.index
  if (text[at] === '\n') return { at, next: at + 1 }
  if (at + 1 === text.length) return undefined
  return { at, next: text[at + 1] === '\n' ? at + 2 : at + 1 }
}
