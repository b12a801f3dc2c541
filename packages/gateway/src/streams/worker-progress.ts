/**
 * What workers say of the calls of one conversation. A worker says it to any node, which keeps it with the claim; so every
 * node that shows the conversation looks at the claims of its open calls now and then, and shows what is new there. Whoever
 * comes late is shown the newest.
 */
import type { Frame, Json, LogEvent } from '@holdpoint/core'

type Progress = Extract<Frame, { readonly type: 'call-progress' }>

const LOOK_MS = 1000

export class WorkerProgress {
  /** Open calls of workers, and what was last shown of each. */
  readonly #calls = new Map<string, string | undefined>()
  readonly #read: (callId: string) => Promise<Json | undefined>
  readonly #show: (progress: Progress) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #over = false

  constructor(
    calls: readonly string[],
    read: (callId: string) => Promise<Json | undefined>,
    show: (progress: Progress) => void,
  ) {
    this.#read = read
    this.#show = show
    for (const callId of calls) this.#calls.set(callId, undefined)
    if (calls.length > 0) void this.#look()
  }

  event(event: LogEvent): void {
    if (event.type === 'call.held' && event.hold.kind === 'external') this.#watch(event.callId)
    if (event.type === 'answer.arrived') this.#calls.delete(event.callId)
    // The result that the model reads of an async call while its worker is still at it is nobody's answer.
    if (event.type === 'call.settled' && (event.resolution || !event.outcome.ok)) this.#calls.delete(event.callId)
  }

  /** It was said here, and need not be found. */
  shown({ callId, value }: Progress): void {
    if (this.#calls.has(callId)) this.#calls.set(callId, JSON.stringify(value))
  }

  end(): void {
    this.#over = true
    clearTimeout(this.#timer)
  }

  #watch(callId: string): void {
    this.#calls.set(callId, undefined)
    this.#later()
  }

  #later(): void {
    if (this.#over || this.#timer || this.#calls.size === 0) return
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    for (const callId of this.#calls.keys()) {
      // A store that is away has nothing to show; it is asked again.
      const value = await this.#read(callId).catch(() => undefined)
      const text = JSON.stringify(value)
      if (this.#over || value === undefined || !this.#calls.has(callId) || this.#calls.get(callId) === text) continue
      this.#show({ type: 'call-progress', callId, value })
    }
    this.#timer = undefined
    this.#later()
  }
}
