/**
 * The messages that agents are writing in a space, as frames for a reader that joins in the middle. Each starts at
 * offset 0, which makes the reader drop what it has of that message, so no text appears twice.
 */
import { isSpaceEvent, isSpaceFrame, type Frame, type LogEvent, type SpaceFrame } from '@holdpoint/core'
import { removeWriting, addWriting, type SpaceWriting } from '@holdpoint/spaces'

/** Longer text is not kept. A reader that joins then waits for the stored messages. */
const MAX_CHARS = 1_000_000

export class WritingSoFar {
  #writing: readonly SpaceWriting[] = []

  /** For a reader that joins. */
  get frames(): readonly Frame[] {
    return this.#writing.flatMap(({ agent, id, name, text }): readonly SpaceFrame[] => {
      if (name === undefined) return [{ type: 'message.streaming', agent, id, at: 0, delta: text }]
      const call = { agent, toolCallId: id, name }
      const started = { type: 'tool.started', ...call, status: 'writing' } as const
      return text === '' ? [started] : [started, { type: 'tool.streaming', ...call, at: 0, delta: text }]
    })
  }

  frame(frame: Frame): void {
    if (!isSpaceFrame(frame)) return
    this.#writing = addWriting(this.#writing, frame)
    if (this.#writing.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS) this.#writing = []
  }

  /** Drops the frames of messages that are now stored. */
  event(event: LogEvent): void {
    if (isSpaceEvent(event)) this.#writing = removeWriting(this.#writing, event)
  }
}
