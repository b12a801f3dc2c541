/** The content of a file. */
export class GrowingBytes {
  #bytes: Buffer
  #length: number

  constructor(bytes: Buffer = Buffer.alloc(0), length: number = bytes.length) {
    this.#bytes = bytes
    this.#length = length
  }

  /** A write after the end leaves zeros between. */
  write(at: number, data: Uint8Array): void {
    const end = at + data.length
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#bytes.set(data, at)
    this.#length = Math.max(this.#length, end)
  }

  truncate(size: number): void {
    if (size > this.#length) return this.write(size - 1, Buffer.alloc(1))
    this.#bytes.fill(0, size, this.#length)
    this.#length = size
  }

  copy(): GrowingBytes {
    return new GrowingBytes(Buffer.from(this.toBuffer()))
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}
