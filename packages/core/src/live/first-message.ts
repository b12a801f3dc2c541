import type { LogEvent } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'

/** How many events to read: a conversation may be created, and begin a turn, before its first message. */
export const FIRST_EVENTS = 8
const LONGEST = 120

/** The beginning of the first message, on one line, for use as a title. `events` are the first events of a log. */
export function firstMessageOf(events: readonly LogEvent[]): string | undefined {
  for (const event of events) {
    const items = event.type === 'turn.started' ? event.items : event.type === 'message.queued' ? [event.item] : []
    const text = items.map(textOf).join(' ').replace(/\s+/g, ' ').trim()
    if (text !== '') return cut(text)
  }
  return undefined
}

function textOf(item: Inbound): string {
  if (item.kind !== 'message') return ''
  return item.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}

function cut(text: string): string {
  // Cut between characters, never inside one. Only the beginning is split, because a message may be long.
  const characters = Array.from(text.slice(0, 2 * LONGEST + 2))
  return characters.length <= LONGEST
    ? characters.join('')
    : `${characters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
}
