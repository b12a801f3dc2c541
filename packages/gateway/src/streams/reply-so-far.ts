/**
 * The frames of a reply that is being written, so many as say the same: for whoever joins in the middle. It begins with
 * `reply-start`, which makes a reader forget what it has of this reply, so nothing is ever shown twice.
 */
import type { Frame, LogEvent } from '@holdpoint/core'

type Part = Extract<Frame, { readonly delta: string }>
type Progress = Extract<Frame, { readonly type: 'call-progress' }>

/** More than this of one reply is not kept: whoever joins then waits for the whole of it. */
const MOST_CHARS = 1_000_000

export class ReplySoFar {
  #start: Extract<Frame, { readonly type: 'reply-start' }> | undefined
  #parts: Frame[] = []
  #chars = 0
  readonly #progress = new Map<string, Progress>()

  /** A reader that joins is shown these. */
  get frames(): readonly Frame[] {
    return [
      ...(this.#start && this.#chars <= MOST_CHARS ? [this.#start, ...this.#parts] : []),
      ...this.#progress.values(),
    ]
  }

  frame(frame: Frame): void {
    switch (frame.type) {
      case 'call-progress':
        this.#progress.set(frame.callId, frame)
        return
      case 'reply-start':
        this.#begin(frame)
        return
      case 'reply-text':
      case 'reply-reasoning':
      case 'call-input':
        if (this.#isOurs(frame)) this.#add(frame)
        return
      case 'reply-call':
      case 'model-retry':
        if (this.#isOurs(frame)) this.#parts.push(frame)
        return
      case 'message.streaming':
      case 'tool.streaming':
        return
    }
  }

  /** What is written need not be shown from frames. */
  event(event: LogEvent): void {
    if (event.type === 'model.replied' && this.#start && this.#start.step <= event.step) this.#begin(undefined)
    if (event.type === 'call.settled') this.#progress.delete(event.callId)
    if (event.type !== 'turn.started' && event.type !== 'turn.ended') return
    this.#begin(undefined)
    this.#progress.clear()
  }

  #begin(start: Extract<Frame, { readonly type: 'reply-start' }> | undefined): void {
    this.#start = start
    this.#parts = []
    this.#chars = 0
  }

  /** Without its beginning a reply is not worth showing to somebody new. */
  #isOurs({ turnId, step }: { readonly turnId: string; readonly step: number }): boolean {
    return this.#start?.turnId === turnId && this.#start.step === step
  }

  #add(frame: Part): void {
    this.#chars += frame.delta.length
    if (this.#chars > MOST_CHARS) {
      this.#parts = []
      return
    }
    const at = this.#parts.findLastIndex((each) => each.type === frame.type && each.id === frame.id)
    const same = this.#parts[at] as Part | undefined
    if (same) this.#parts[at] = { ...frame, delta: same.delta + frame.delta }
    else this.#parts.push(frame)
  }
}
