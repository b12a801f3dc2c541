/**
 * The frames of the reply in progress, merged, for a reader that joins in the middle. They start with `reply-start`,
 * which makes the reader drop what it has of this reply, so no text appears twice.
 */
import type { Frame, LogEvent } from '@holdpoint/core'

type Part = Extract<Frame, { readonly type: 'reply-text' | 'reply-reasoning' | 'call-input' }>
type Progress = Extract<Frame, { readonly type: 'call-progress' }>

/** A longer reply is not kept. A reader that joins then waits for the stored event. */
const MAX_CHARS = 1_000_000

export class ReplySoFar {
  #start: Extract<Frame, { readonly type: 'reply-start' }> | undefined
  #parts: Frame[] = []
  #chars = 0
  readonly #progress = new Map<string, Progress>()

  /** For a reader that joins. */
  get frames(): readonly Frame[] {
    return [
      ...(this.#start && this.#chars <= MAX_CHARS ? [this.#start, ...this.#parts] : []),
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
        if (this.#isCurrent(frame)) this.#add(frame)
        return
      case 'reply-call':
      case 'model-retry':
        if (this.#isCurrent(frame)) this.#parts.push(frame)
        return
      case 'message.streaming':
      case 'tool.started':
      case 'tool.streaming':
        return
    }
  }

  /** Drops the frames of text that is now stored. */
  event(event: LogEvent): void {
    if (event.type === 'model.replied' && this.#start && this.#start.step <= event.step) this.#begin(undefined)
    if (event.type === 'call.settled') this.#progress.delete(event.callId)
    if (event.type !== 'turn.started' && event.type !== 'turn.ended' && event.type !== 'conversation.erased') return
    this.#begin(undefined)
    this.#progress.clear()
  }

  #begin(start: Extract<Frame, { readonly type: 'reply-start' }> | undefined): void {
    this.#start = start
    this.#parts = []
    this.#chars = 0
  }

  /** Frames of a reply whose start was missed are dropped. */
  #isCurrent({ turnId, step }: { readonly turnId: string; readonly step: number }): boolean {
    return this.#start?.turnId === turnId && this.#start.step === step
  }

  #add(frame: Part): void {
    this.#chars += frame.delta.length
    if (this.#chars > MAX_CHARS) {
      this.#parts = []
      return
    }
    const at = this.#parts.findLastIndex((each) => each.type === frame.type && each.id === frame.id)
    const same = this.#parts[at] as Part | undefined
    if (same) this.#parts[at] = { ...frame, delta: same.delta + frame.delta }
    else this.#parts.push(frame)
  }
}
