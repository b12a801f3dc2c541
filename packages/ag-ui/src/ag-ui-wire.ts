/** A run as server-sent events. */
import type { StreamItem } from '@holdpoint/runtime'
import type { AgUiEvent } from './ag-ui-event.ts'
import type { RunStream } from './run-stream.ts'

export const AG_UI_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
}

export class AgUiWire {
  readonly #run: RunStream

  constructor(run: RunStream) {
    this.#run = run
  }

  get over(): boolean {
    return this.#run.over
  }

  begin(): string {
    return encode(this.#run.begin())
  }

  take(item: StreamItem): string {
    return encode(this.#run.take(item))
  }
}

function encode(events: readonly AgUiEvent[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}
