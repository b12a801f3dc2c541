/** A turn's stream as server-sent events, as `useChat` reads them. */
import type { StreamItem } from '@holdpoint/runtime'
import type { TurnStream } from './turn-stream.ts'
import type { UiStreamPart } from './ui-message.ts'

export const UI_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

export class UiWire {
  readonly #stream: TurnStream

  constructor(stream: TurnStream) {
    this.#stream = stream
  }

  get over(): boolean {
    return this.#stream.over
  }

  begin(): string {
    return this.#text(this.#stream.begin())
  }

  take(item: StreamItem): string {
    return this.over ? '' : this.#text(this.#stream.take(item))
  }

  #text(chunks: readonly UiStreamPart[]): string {
    const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    return this.over ? `${text}data: [DONE]\n\n` : text
  }
}
