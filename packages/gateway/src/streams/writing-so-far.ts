/**
 * What agents are writing in a space, as frames: for whoever joins in the middle. Each begins at the beginning, which
 * makes a reader forget what it has of it, so nothing is ever shown twice.
 */
import { isSpaceEvent, written, wrote, type Frame, type LogEvent, type SpaceWriting } from '@holdpoint/core'

/** More than this is not kept: whoever joins then waits for the messages themselves. */
const MOST_CHARS = 1_000_000

export class WritingSoFar {
  #writing: readonly SpaceWriting[] = []

  /** A reader that joins is shown these. */
  get frames(): readonly Frame[] {
    return this.#writing.map(({ name, text, ...who }) =>
      name === undefined
        ? { type: 'message.streaming', ...who, at: 0, delta: text }
        : { type: 'tool.streaming', ...who, name, at: 0, delta: text },
    )
  }

  frame(frame: Frame): void {
    if (frame.type !== 'message.streaming' && frame.type !== 'tool.streaming') return
    this.#writing = wrote(this.#writing, frame)
    if (this.#writing.reduce((sum, { text }) => sum + text.length, 0) > MOST_CHARS) this.#writing = []
  }

  /** What is there need not be shown from frames. */
  event(event: LogEvent): void {
    if (isSpaceEvent(event)) this.#writing = written(this.#writing, event)
  }
}
