/** What people look for in a log: messages, replies, and calls with all that happened to each. */
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { authorsOfAll, type Inbound } from '@holdpoint/core/internal/log/message'
import { callsOf } from '@holdpoint/core/internal/model/reply'

export const CALL_STATES = [
  'waiting',
  'approved',
  'rejected',
  'answered',
  'expired',
  'denied',
  'cancelled',
  'failed',
  'done',
] as const

/** A call has several: one that was approved and then failed is `approved` and `failed`. */
export type CallState = (typeof CALL_STATES)[number]

export interface LogEntry {
  readonly kind: 'message' | 'reply' | 'call'
  readonly seq: number
  readonly at: number
  /** The author of a message, the people who asked for a call, and those who decided about it. */
  readonly people: readonly string[]
  readonly texts: readonly string[]
  readonly callId?: string
  readonly tool?: string
  readonly states?: readonly CallState[]
  /** Whether a person or a program was asked about the call. */
  readonly held?: boolean
}

interface OpenEntry extends LogEntry {
  readonly people: string[]
  readonly texts: string[]
  states: CallState[]
  held: boolean
}

export function logEntries(events: readonly LogEvent[]): readonly LogEntry[] {
  const entries: LogEntry[] = []
  const calls = new Map<string, OpenEntry>()
  let asked: readonly string[] = []
  for (const event of events) {
    const { seq, at } = event
    if (event.type === 'turn.started' && event.items.length > 0) asked = peopleOf(event.items)
    const items = event.type === 'turn.started' ? newItems(event) : event.type === 'message.queued' ? [event.item] : []
    for (const item of items)
      if (item.kind !== 'answer')
        entries.push({ kind: 'message', seq, at, people: peopleOf([item]), texts: textsOf(item) })
    if (event.type === 'model.replied') {
      const texts = event.reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      if (texts.some((text) => text !== '')) entries.push({ kind: 'reply', seq, at, people: [], texts })
      for (const { callId, name, input } of callsOf(event.reply)) {
        const made = { kind: 'call', callId, tool: name, seq, at, held: false } as const
        const entry: OpenEntry = { ...made, people: [...asked], texts: [textOf(input), name], states: [] }
        calls.set(callId, entry)
        entries.push(entry)
      }
    }
    const call = 'callId' in event ? calls.get(event.callId) : undefined
    if (call) move(call, event)
  }
  return entries
}

function move(call: OpenEntry, event: LogEvent): void {
  if ('by' in event && event.by !== undefined) call.people.push(event.by)
  if (event.type === 'call.rewritten') call.texts.push(textOf(event.input))
  if (event.type === 'hold.commented') call.texts.push(event.text)
  if (event.type === 'call.approved') decided(call, 'approved')
  if (event.type === 'call.resumed') decided(call, 'answered')
  if (event.type === 'call.held') {
    call.held = true
    call.states.push('waiting')
    call.texts.push(textOf(event.hold.input), event.hold.reason ?? '')
  }
  if (event.type === 'call.settled' || event.type === 'answer.arrived') settle(call, event)
}

function settle(
  call: OpenEntry,
  { type, outcome, resolution }: Extract<LogEvent, { readonly type: 'call.settled' | 'answer.arrived' }>,
): void {
  call.texts.push(outcome.ok ? textOf(outcome.value) : outcome.error.message)
  if (resolution?.kind === 'reject') return decided(call, 'rejected')
  if (resolution?.kind === 'answer') return decided(call, 'answered')
  // The call is async: the model got a note that the answer comes later.
  if (outcome.ok && call.states.includes('waiting') && type === 'call.settled') return
  decided(call, outcome.ok ? 'done' : stateOf(outcome.error.code))
}

function decided(call: OpenEntry, state: CallState): void {
  call.states = [...call.states.filter((each) => each !== 'waiting' && each !== state), state]
}

function stateOf(code: string): CallState {
  switch (code) {
    case 'expired':
    case 'denied':
    case 'rejected':
      return code
    case 'cancelled':
    case 'superseded':
      return 'cancelled'
    default:
      return 'failed'
  }
}

/** Items that waited in the queue were found where they were queued. */
function newItems({ items, queued = 0 }: Extract<LogEvent, { readonly type: 'turn.started' }>): readonly Inbound[] {
  return items.slice(queued)
}

function peopleOf(items: readonly Inbound[]): readonly string[] {
  return authorsOfAll(items).flatMap(({ by, requesters }) => [
    ...(by === undefined ? [] : [by]),
    ...(Array.isArray(requesters) ? (requesters as readonly string[]) : []),
  ])
}

function textsOf(item: Exclude<Inbound, { readonly kind: 'answer' }>): readonly string[] {
  if (item.kind === 'message')
    return item.message.parts.map((part) => (part.type === 'text' ? part.text : (part.filename ?? '')))
  const { event } = item
  switch (event.type) {
    case 'space.message':
      return [event.text]
    case 'plan.fired':
      return [event.what]
    case 'trigger':
      return [event.name, textOf(event.data)]
  }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
