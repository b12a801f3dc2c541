/**
 * One connection to a stream of the gateway's. It ends by throwing `StreamBroken` when it says what cannot be: another
 * kind of body, data that is no JSON. Whoever reads comes again.
 */
import { SseDecoder, type DecodedSse } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { StreamBroken } from './passing.ts'
import { readPieces } from './read-text.ts'

export interface Heard<T> {
  /** What came together. May be nothing: then it was a sign of life. */
  readonly messages: readonly T[]
  /** How long the gateway asks to wait before coming again. */
  readonly retryMs: number | undefined
}

export interface OpenSse<T> {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Undefined for what is passed over. */
  readonly read: (message: DecodedSse) => T | undefined
}

export async function* openSse<T>(http: Http, { path, headers, signal, read }: OpenSse<T>): AsyncGenerator<Heard<T>> {
  const cut = new AbortController()
  const { silenceMs } = http
  /** Ends a connection that nothing was heard of for too long: heartbeats come more often than that. */
  const silence = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => cut.abort(new StreamBroken(`Nothing was heard for ${silenceMs} ms.`)), silenceMs)
  let timer = silence()
  try {
    const either = AbortSignal.any([signal, cut.signal])
    const response = await http.open(path, { accept: 'text/event-stream', ...headers }, either)
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!/^text\/event-stream\b/i.test(type))
      throw new StreamBroken(`The stream is ${type}, and not text/event-stream.`)
    const decoder = new SseDecoder({ maxChars: http.maxChars })
    // Told at once that it is open, before anything is said on it.
    yield { messages: [], retryMs: undefined }
    for await (const piece of readPieces(response)) {
      clearTimeout(timer)
      timer = silence()
      const messages = decoder.push(piece).flatMap((message) => understood(message, read) ?? [])
      yield { messages, retryMs: decoder.retryMs }
    }
  } catch (error) {
    signal.throwIfAborted()
    throw asBroken(error)
  } finally {
    clearTimeout(timer)
    cut.abort()
  }
}

function understood<T>(message: DecodedSse, read: OpenSse<T>['read']): T | undefined {
  try {
    return read(message)
  } catch (error) {
    throw error instanceof StreamBroken ? error : new StreamBroken('The stream says something that is no JSON.')
  }
}

/** What goes wrong while a body is read is told by the host in words of its own. */
function asBroken(error: unknown): unknown {
  if (!(error instanceof Error)) return new StreamBroken(String(error))
  // An event that is too large is so every time: coming again would not help.
  if (error instanceof RangeError || error.name === 'HoldpointHttpError' || error instanceof StreamBroken) return error
  return new StreamBroken(`The stream broke off: ${error.message}`)
}
