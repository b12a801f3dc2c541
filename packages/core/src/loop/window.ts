/**
 * How much of a conversation the model is shown: whole turns, newest first, so that no call is parted from its result,
 * and a turn that was taken up again together with the message it is about. What is shown depends on the log alone,
 * never on how much of it happens to be in memory.
 */
import type { LogEvent } from '../log/log-event.ts'
import { callsOf } from '../model/reply.ts'

export interface Window {
  /** At most this many messages, but never less than the newest turn. The results of one round count as one message. */
  readonly messages: number
}

/** The events the prompt is made of. They must be enough for the window, or the whole log. */
export function windowed(events: readonly LogEvent[], window: Window | undefined): readonly LogEvent[] {
  if (!window) return events
  let start: number | undefined
  for (const turn of turnsBack(events)) {
    if (start !== undefined && turn.messages > window.messages) break
    start = turn.index
  }
  return events.slice(start ?? 0)
}

/** How many of the oldest events can be left out of memory, with some more kept than are shown: fetching costs a read. */
export function beyond(events: readonly LogEvent[], { messages }: Window): number {
  for (const turn of turnsBack(events)) if (turn.messages > 2 * messages) return turn.index
  return 0
}

/** Whether the window shows nothing from before these events: there are more messages than fit, and a beginning. */
export function isEnough(events: readonly LogEvent[], messages: number): boolean {
  return events.reduce((sum, event) => sum + weight(event), 0) > messages && events.some(begins)
}

/** From the newest: where each turn begins, and how many messages there are from there on. */
function* turnsBack(events: readonly LogEvent[]): Iterable<{ readonly index: number; readonly messages: number }> {
  let messages = 0
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index]
    if (!event) return
    messages += weight(event)
    if (begins(event)) yield { index, messages }
  }
}

/** Without a message of its own a turn goes on with the one before. */
function begins(event: LogEvent): boolean {
  return event.type === 'turn.started' && event.items.length > 0
}

function weight(event: LogEvent): number {
  if (event.type === 'turn.started') return 1
  if (event.type !== 'model.replied') return 0
  return callsOf(event.reply).length > 0 ? 2 : 1
}
