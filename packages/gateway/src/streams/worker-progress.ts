/**
 * The progress that workers report on the calls of one conversation. A worker reports to any node, which stores it in
 * the claim. So every node that streams the conversation polls the claims of its open calls and sends what is new. A
 * reader that joins late gets the newest report.
 */
import type { Frame, Json, LogEvent } from '@holdpoint/core'

type Progress = Extract<Frame, { readonly type: 'call-progress' }>

const POLL_MS = 1000

export class WorkerProgress {
  /** Open calls of workers, and the last report of each that was sent. */
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
    if (calls.length > 0) void this.#poll()
  }

  event(event: LogEvent): void {
    if (event.type === 'conversation.erased') this.#calls.clear()
    if (event.type === 'call.held' && event.hold.kind === 'external') this.#watch(event.callId)
    if (event.type === 'answer.arrived') this.#calls.delete(event.callId)
    // An async call settles for the model before its worker answers. Keep polling until the answer arrives.
    if (event.type === 'call.settled' && (event.resolution || !event.outcome.ok)) this.#calls.delete(event.callId)
  }

  /** The worker reported to this node, so polling must not send it again. */
  shown({ callId, value }: Progress): void {
    if (this.#calls.has(callId)) this.#calls.set(callId, JSON.stringify(value))
  }

  end(): void {
    this.#over = true
    clearTimeout(this.#timer)
  }

  #watch(callId: string): void {
    this.#calls.set(callId, undefined)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#over || this.#timer || this.#calls.size === 0) return
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    for (const callId of this.#calls.keys()) {
      // On a store error, try again at the next poll.
      const value = await this.#read(callId).catch(() => undefined)
      const text = JSON.stringify(value)
      if (this.#over || value === undefined || !this.#calls.has(callId) || this.#calls.get(callId) === text) continue
      this.#show({ type: 'call-progress', callId, value })
    }
    this.#timer = undefined
    this.#schedule()
  }
}
