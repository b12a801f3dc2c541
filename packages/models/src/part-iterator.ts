/**
 * Reads a vendor's stream and yields our parts. It is written by hand, because an async generator was measured to be a
 * fifth slower, and a reply has hundreds of parts.
 *
 * The request is sent with the first `next`. However the iteration ends (end of stream, error, `return`, abort), the stream
 * is closed or cancelled, the reader's lock is released, and the abort listener is removed. Call `next` one at a time.
 */
import type { ModelPart } from '@holdpoint/core'
import { PartMapper, type StreamPart } from './part-mapper.ts'
import { toModelError, type Phase } from './model-error.ts'

export interface PartSource {
  readonly stream: ReadableStream<StreamPart>
}

type Result = IteratorResult<ModelPart, undefined>

const DONE: Result = { done: true, value: undefined }

export class PartIterator implements AsyncIterableIterator<ModelPart, undefined> {
  readonly #open: () => PromiseLike<PartSource>
  readonly #signal: AbortSignal
  readonly #mapper = new PartMapper()
  #reader: ReadableStreamDefaultReader<StreamPart> | undefined
  #onAbort: (() => void) | undefined
  #ended = false
  /** The signal aborted, and the consumer has not been notified yet. */
  #aborted = false

  constructor(open: () => PromiseLike<PartSource>, signal: AbortSignal) {
    this.#open = open
    this.#signal = signal
  }

  async next(): Promise<Result> {
    if (this.#ended) return this.#last()
    let phase: Phase = 'request'
    try {
      const reader = this.#reader ?? (await this.#start())
      phase = 'stream'
      while (!this.#ended) {
        const { done, value } = await reader.read()
        if (done) break
        const part = this.#mapper.map(value)
        if (part !== undefined) return { done: false, value: part }
      }
    } catch (error) {
      throw this.#failure(error, phase)
    }
    this.#end()
    return this.#last()
  }

  /** Like iterating, with one promise per part instead of three. An error of `take` is rethrown unchanged. */
  async forEach(take: (part: ModelPart) => void): Promise<void> {
    let phase: Phase = 'request'
    let taking = false
    try {
      const reader = this.#reader ?? (await this.#start())
      phase = 'stream'
      while (!this.#ended) {
        const { done, value } = await reader.read()
        if (done) break
        const part = this.#mapper.map(value)
        if (part === undefined) continue
        taking = true
        take(part)
        taking = false
      }
    } catch (error) {
      if (taking) {
        this.#end(error)
        throw error
      }
      throw this.#failure(error, phase)
    }
    this.#end()
    this.#last()
  }

  async return(): Promise<Result> {
    this.#end()
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Does not wait for a vendor that ignores the signal. A stream that arrives after the abort is cancelled. */
  #start(): Promise<ReadableStreamDefaultReader<StreamPart>> {
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      this.#onAbort = () => {
        this.#aborted = true
        this.#end(signal.reason)
        reject(signal.reason)
      }
      signal.addEventListener('abort', this.#onAbort, { once: true })
      this.#open()
        .then(({ stream }) => this.#take(stream.getReader()))
        .then(resolve, reject)
    })
  }

  #take(reader: ReadableStreamDefaultReader<StreamPart>): ReadableStreamDefaultReader<StreamPart> {
    if (this.#ended) discard(reader)
    else this.#reader = reader
    return reader
  }

  /** The error for the consumer: the reason of its abort, or a failure of the model. */
  #failure(error: unknown, phase: Phase): unknown {
    this.#end(error)
    this.#aborted = false
    return this.#signal.aborted ? this.#signal.reason : toModelError(error, phase)
  }

  #last(): Result {
    if (!this.#aborted) return DONE
    this.#aborted = false
    throw this.#signal.reason
  }

  #end(reason?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#onAbort !== undefined) this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#reader !== undefined) discard(this.#reader, reason)
  }
}

/** Cancelling a stream that has ended does nothing; a failure to cancel is ignored. */
function discard(reader: ReadableStreamDefaultReader<StreamPart>, reason?: unknown): void {
  reader.cancel(reason).catch(() => {})
  reader.releaseLock()
}
