/**
 * One connection to an event stream of the gateway. It throws `StreamBroken` if the response is not valid: another content
 * type, or data that is not JSON. The reader then reconnects.
 */
import { SseDecoder, type DecodedSse } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { StreamBroken } from './temporary-failure.ts'
import { readPieces } from './read-text.ts'

export interface Received<T> {
  /** The messages that arrived together. Empty for a heartbeat. */
  readonly messages: readonly T[]
  /** The delay that the gateway asks for before a reconnect. */
  readonly retryMs: number | undefined
}

export interface OpenSse<T> {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Decodes a message. Undefined skips it. */
  readonly read: (message: DecodedSse) => T | undefined
}

export async function* openSse<T>(
  http: Http,
  { path, headers, signal, read }: OpenSse<T>,
): AsyncGenerator<Received<T>> {
  const cut = new AbortController()
  const { silenceMs } = http
  /** Ends a connection without data for too long. Heartbeats are more frequent than that. */
  const silence = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => cut.abort(new StreamBroken(`The stream sent nothing for ${silenceMs} ms.`)), silenceMs)
  let timer = silence()
  try {
    const either = AbortSignal.any([signal, cut.signal])
    const response = await http.open(path, { accept: 'text/event-stream', ...headers }, either)
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!/^text\/event-stream\b/i.test(type))
      throw new StreamBroken(`The stream has the content type ${type} instead of text/event-stream.`)
    const decoder = new SseDecoder({ maxChars: http.maxChars })
    // Report that the stream is open before the first message.
    yield { messages: [], retryMs: undefined }
    for await (const piece of readPieces(response)) {
      clearTimeout(timer)
      timer = silence()
      const messages = decoder.push(piece).flatMap((message) => decoded(message, read) ?? [])
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

function decoded<T>(message: DecodedSse, read: OpenSse<T>['read']): T | undefined {
  try {
    return read(message)
  } catch (error) {
    throw error instanceof StreamBroken ? error : new StreamBroken('The stream has data that is not JSON.')
  }
}

/** Hosts report a failed read with different errors. */
function asBroken(error: unknown): unknown {
  if (!(error instanceof Error)) return new StreamBroken(String(error))
  // An event that is too large would be too large again, so a reconnect does not help.
  if (error instanceof RangeError || error.name === 'HoldpointHttpError' || error instanceof StreamBroken) return error
  return new StreamBroken(`The stream broke off: ${error.message}`)
}
