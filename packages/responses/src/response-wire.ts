/** A response as server-sent events. */
import type { StreamItem } from '@holdpoint/runtime'
import type { ResponseStream } from './response-stream.ts'

export const RESPONSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
}

export class ResponseWire {
  readonly #stream: ResponseStream

  constructor(stream: ResponseStream) {
    this.#stream = stream
  }

  get over(): boolean {
    return this.#stream.over
  }

  begin(): string {
    return encode(this.#stream.begin())
  }

  take(item: StreamItem): string {
    return encode(this.#stream.take(item))
  }
}

function encode(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
