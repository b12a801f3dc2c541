/**
 * One connection to the stream of a conversation or a space. It ends by throwing `StreamBroken` when it says what cannot be: another kind
 * of body, data that is no JSON, an event out of order. Whoever reads comes again with the last seq it has.
 */
import { decodeStream, encodeClientTools, SseDecoder, type StreamMessage } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { StreamBroken } from './passing.ts'
import { readPieces } from './read-text.ts'

export interface Heard {
  /** What came together. May be nothing: then it was a sign of life. */
  readonly messages: readonly StreamMessage[]
  /** How long the gateway asks to wait before coming again. */
  readonly retryMs: number | undefined
}

export interface OpenStream {
  /** Where it is. */
  readonly path: string
  /** The last seq that is known. */
  readonly after: number
  readonly signal: AbortSignal
  /** Names of the client tools that run here. */
  readonly tools?: readonly string[]
}

export async function* openStream(http: Http, { path, after, signal, tools = [] }: OpenStream): AsyncGenerator<Heard> {
  const silence = new Silence(http.silenceMs, signal)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) }
    const response = await http.open(path + offering(tools), headers, silence.signal)
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!/^text\/event-stream\b/i.test(type))
      throw new StreamBroken(`The stream is ${type}, and not text/event-stream.`)
    const decoder = new SseDecoder({ maxChars: http.maxChars })
    let seq = after
    // Told at once that it is open, before anything is said on it.
    yield { messages: [], retryMs: undefined }
    for await (const piece of readPieces(response)) {
      silence.heard()
      const messages: StreamMessage[] = []
      for (const message of decoder.push(piece).map(understood)) {
        if (!message || (message.kind === 'event' && message.event.seq <= seq)) continue
        if (message.kind === 'reset') seq = 0
        if (message.kind === 'event') seq = inOrder(seq, message.event.seq)
        messages.push(message)
      }
      yield { messages, retryMs: decoder.retryMs }
    }
  } catch (error) {
    signal.throwIfAborted()
    throw asBroken(error)
  } finally {
    silence.end()
  }
}

/** In the address, which every client can give, and which keeps no page of another origin out. */
function offering(tools: readonly string[]): string {
  return tools.length > 0 ? `?tools=${encodeURIComponent(encodeClientTools(tools))}` : ''
}

function understood(message: Parameters<typeof decodeStream>[0]): StreamMessage | undefined {
  try {
    return decodeStream(message)
  } catch {
    throw new StreamBroken('The stream says something that is no JSON.')
  }
}

function inOrder(before: number, seq: number): number {
  if (seq === before + 1) return seq
  throw new StreamBroken(`Event ${seq} came after event ${before}: some are missing.`)
}

/** What goes wrong while a body is read is told by the host in words of its own. */
function asBroken(error: unknown): unknown {
  if (!(error instanceof Error)) return new StreamBroken(String(error))
  // An event that is too large is so every time: coming again would not help.
  if (error instanceof RangeError || error.name === 'HoldpointHttpError' || error instanceof StreamBroken) return error
  return new StreamBroken(`The stream broke off: ${error.message}`)
}

/** Ends a connection that nothing was heard of for too long: heartbeats come more often than that. */
class Silence {
  readonly #ms: number
  readonly #cut = new AbortController()
  readonly #leave: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number, outer: AbortSignal) {
    this.#ms = ms
    const abort = (): void => this.#cut.abort(outer.reason)
    if (outer.aborted) abort()
    outer.addEventListener('abort', abort, { once: true })
    this.#leave = () => outer.removeEventListener('abort', abort)
    this.heard()
  }

  get signal(): AbortSignal {
    return this.#cut.signal
  }

  heard(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#cut.abort(new StreamBroken(`Nothing was heard for ${this.#ms} ms.`)), this.#ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#leave()
    this.#cut.abort()
  }
}
