/**
 * Decodes server-sent events from chunks of any size, by the rules of the HTML standard with one addition: a message
 * larger than the limit is refused, because an endless line would fill the memory.
 */
export interface DecodedSse {
  readonly event: string
  readonly data: string
  /** The last event id of the stream, from this message or an earlier one. */
  readonly id: string
}

export class SseDecoder {
  readonly #maxChars: number
  /** The incomplete last line, and its length. */
  #rest: string[] = []
  #restSize = 0
  /** A line ends with LF, CR or CRLF. After a CR at the end of a chunk, an LF belongs to the same line end. */
  #afterCr = false
  #data: string[] = []
  #size = 0
  #event = ''
  #id: string
  #retry: number | undefined
  #first = true

  /** `id`: the last event id before a reconnect. */
  constructor({ maxChars = 4_000_000, id = '' }: { readonly maxChars?: number; readonly id?: string } = {}) {
    this.#maxChars = maxChars
    this.#id = id
  }

  /** The value for `Last-Event-ID` when reconnecting. */
  get lastId(): string {
    return this.#id
  }

  /** The reconnection delay that the server sent, if any. */
  get retryMs(): number | undefined {
    return this.#retry
  }

  /**
   * Returns the messages that are now complete. Scans only the new chunk, so small chunks cost no more than large ones.
   */
  push(text: string): DecodedSse[] {
    const messages: DecodedSse[] = []
    const ends = /\r\n|\r|\n/g
    let from = this.#begin(text)
    ends.lastIndex = from
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      const message = this.#line(this.#whole(text.slice(from, end.index)))
      if (message) messages.push(message)
      from = ends.lastIndex
    }
    if (text !== '') this.#afterCr = text.endsWith('\r')
    if (from < text.length) this.#rest.push(text.slice(from))
    this.#restSize += text.length - from
    this.#check(this.#restSize)
    return messages
  }

  /** Skips a byte order mark, or the second half of a line end. */
  #begin(text: string): number {
    const skip = (this.#first && text.startsWith('\uFEFF')) || (this.#afterCr && text.startsWith('\n'))
    if (text !== '') this.#first = false
    return skip ? 1 : 0
  }

  #whole(end: string): string {
    const line = this.#rest.length > 0 ? this.#rest.join('') + end : end
    this.#rest = []
    this.#restSize = 0
    return line
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
    if (this.#size + more > this.#maxChars)
      throw new RangeError(`An event of the stream is larger than ${this.#maxChars} characters.`)
  }
}
