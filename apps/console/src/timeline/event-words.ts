/** What happened, as one would tell it. The event itself, with all that it says, is one click away. */
import { isSpaceEvent, type HoldKind, type LogEvent } from '@holdpoint/client'

/** What events say of a call that other events say more about. */
export interface CallsOfLog {
  readonly nameOf: (callId: string) => string
  /** Whether the yes is one to the input that the call was held with. */
  readonly isToInputShown: (event: Extract<LogEvent, { readonly type: 'call.endorsed' }>) => boolean
}

/** The names of calls are in the replies that asked for them. */
export function callsOfLog(events: readonly LogEvent[]): CallsOfLog {
  const names = new Map<string, string>()
  const other = new Set<number>()
  const held = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'model.replied')
      for (const part of event.reply.parts) if (part.type === 'call') names.set(part.callId, part.name)
    if (event.type === 'call.held') held.set(event.callId, event.hold.inputHash)
    if (event.type === 'call.endorsed' && held.get(event.callId) !== event.inputHash) other.add(event.seq)
  }
  return { nameOf: (callId) => names.get(callId) ?? callId, isToInputShown: ({ seq }) => !other.has(seq) }
}

export const HELD_WORDS: Readonly<Record<HoldKind, string>> = {
  approval: 'waits for approval',
  elicitation: 'waits for an answer',
  client: 'waits for a page',
  external: 'waits for a worker',
}

export function eventWords(event: LogEvent, calls: CallsOfLog): string {
  // Of the log of a space, which has a screen of its own.
  if (isSpaceEvent(event)) return ''
  switch (event.type) {
    case 'conversation.opened':
      return `A conversation with ${event.agent} was opened`
    case 'turn.started':
      return event.items.length === 0 ? 'The turn was taken up again' : event.items.map(itemWords).join(' · ')
    case 'message.queued':
      return `${itemWords(event.item)}, and waits for its turn`
    case 'turn.briefed':
      return `Hooks changed what the model is told: ${event.hooks.join(', ')}`
    case 'model.replied':
      return (
        event.reply.parts
          .map(partWords)
          .filter((words) => words !== '')
          .join(' · ') || 'The model said nothing'
      )
    case 'turn.ended':
      return `The turn ended: ${event.message ?? event.reason.replaceAll('_', ' ')}`
    case 'answer.arrived':
      return `A late answer to ${event.name}`
    case 'state.changed':
      return `The plugin ${event.plugin} keeps something else`
    case 'plan.set':
      return `Planned: ${event.plan.what}`
    case 'plan.removed':
      return 'A plan was called off'
    case 'plan.fired':
      return `A plan fired: ${event.what}`
    case 'notices.told':
      return event.count === 1 ? 'One notice reached its place' : `${event.count} notices reached their places`
    case 'call.held':
    case 'call.rewritten':
    case 'call.resumed':
    case 'call.endorsed':
    case 'call.approved':
    case 'call.cleared':
    case 'call.started':
    case 'call.settled':
      return `${calls.nameOf(event.callId)} ${callWords(event, calls)}`
  }
}

type CallEvent = Extract<
  LogEvent,
  {
    readonly type: `call.${'held' | 'rewritten' | 'resumed' | 'endorsed' | 'approved' | 'cleared' | 'started' | 'settled'}`
  }
>

function callWords(event: CallEvent, { isToInputShown }: CallsOfLog): string {
  switch (event.type) {
    case 'call.held': {
      const { kind, reason } = event.hold
      return reason === undefined ? HELD_WORDS[kind] : `${HELD_WORDS[kind]}: ${reason}`
    }
    case 'call.rewritten':
      return `got another input from ${event.hooks.join(', ')}`
    case 'call.resumed':
      return event.by === undefined ? 'goes on' : `goes on: ${event.by} answered`
    case 'call.endorsed':
      return `has one more yes${isToInputShown(event) ? '' : ', to a changed input'}, from ${event.by}`
    case 'call.approved':
      return `was approved by ${event.by ?? 'somebody'}${event.effective === undefined ? '' : ', with changes'}`
    case 'call.cleared':
      return 'needs nobody’s yes'
    case 'call.started':
      return event.attempt > 1 ? `runs again, attempt ${event.attempt}` : 'runs'
    case 'call.settled':
      return event.outcome.ok ? 'is done' : `came to nothing: ${event.outcome.error.message}`
  }
}

type Reply = Extract<LogEvent, { readonly type: 'model.replied' }>['reply']

function partWords(part: Reply['parts'][number]): string {
  if (part.type === 'text') return part.text.trim() === '' ? '' : `The model said: ${part.text}`
  if (part.type === 'call') return `The model asked for ${part.name}`
  return part.type === 'reasoning' ? 'The model thought' : ''
}

type Item = Extract<LogEvent, { readonly type: 'turn.started' }>['items'][number]

export function itemWords(item: Item): string {
  switch (item.kind) {
    case 'message': {
      const text = item.message.parts.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join(' ')
      return `${item.message.by ?? 'Somebody'} said: ${text}`
    }
    case 'answer':
      return `A late answer to ${item.name}`
    case 'event':
      switch (item.event.type) {
        case 'space.message':
          return `${item.event.from.id} said in ${item.event.name}: ${item.event.text}`
        case 'plan.fired':
          return `A plan fired: ${item.event.what}`
        case 'trigger':
          return `${item.event.name} happened`
      }
  }
}
