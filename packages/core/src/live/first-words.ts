import type { LogEvent } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'

/** Before it, the conversation may have been created, and a turn may have begun without a message. */
export const FIRST_EVENTS = 8
const LONGEST = 120

/** The beginning of the first message, on one line and cut short: a title, where there is no other. Of the first events of a log. */
export function firstWordsOf(events: readonly LogEvent[]): string | undefined {
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
  // Only as much as can matter is taken apart; a character is never cut in two.
  const characters = Array.from(text.slice(0, 2 * LONGEST + 2))
  return characters.length <= LONGEST
    ? characters.join('')
    : `${characters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
}
