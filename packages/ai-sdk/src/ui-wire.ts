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

/** The header with the id of an answer whose chunks the front end counts. */
export const RUN_ID_HEADER = 'x-workflow-run-id'
const TAIL_INDEX_HEADER = 'x-workflow-stream-tail-index'

/**
 * A front end that asks for the newest chunks only (a negative start) gets the whole message, and counts from 0 by this header: a part
 * of a message without its beginning shows less than there is.
 */
export function tailIndex(startIndex: number): Readonly<Record<string, string>> {
  return startIndex < 0 ? { [TAIL_INDEX_HEADER]: String(-startIndex - 1) } : {}
}

/** What a front end is told whose chunks cannot be counted: it resumes, and gets the message from its beginning. */
export const START_OVER = 'Chunks are counted from the beginning of an answer only. Call resumeStream() again.'
export const NO_ANSWER = 'The answer is not among the newest of the conversation. Load the history.'

export interface CountedWire {
  /** How many chunks the front end has when the stream begins. */
  readonly chunks: number
  /** The stream is over before the end of the answer: the front end has this many chunks, and all of the steps to this one. */
  readonly paused: (at: { readonly at: number; readonly after: number }) => void
}

export class UiWire {
  readonly #stream: TurnStream
  readonly #counted: CountedWire | undefined
  #chunks: number

  constructor(stream: TurnStream, counted?: CountedWire) {
    this.#stream = stream
    this.#counted = counted
    this.#chunks = counted?.chunks ?? 0
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
    this.#chunks += chunks.length
    const after = this.#stream.pausedAfter
    if (after !== undefined) this.#counted?.paused({ at: this.#chunks, after })
    return this.over ? `${text}data: [DONE]\n\n` : text
  }
}
