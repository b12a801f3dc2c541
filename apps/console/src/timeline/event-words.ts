/** One sentence for each event of a log. */
import { isSpaceEvent, type HoldKind, type LogEvent, type RuleDecision } from '@holdpoint/client'

/** Facts about calls that come from other events than the one that is described. */
export interface CallsOfLog {
  readonly nameOf: (callId: string) => string
  /** Whether this approver approved the input that the call was held with, and not an edited one. */
  readonly isToInputShown: (event: Extract<LogEvent, { readonly type: 'call.endorsed' }>) => boolean
}

/** An event of a call has only its id. The name is in the reply that made the call. */
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
  client: 'waits for the user’s browser',
  external: 'waits for a worker',
}

export function eventWords(event: LogEvent, calls: CallsOfLog): string {
  // An event of a space's log. The timeline shows conversations only.
  if (isSpaceEvent(event)) return ''
  switch (event.type) {
    case 'conversation.opened':
      return `A conversation with ${event.agent} was opened`
    case 'conversation.erased':
      return event.policy === 'retention'
        ? 'The conversation was erased, because it was older than the retention period'
        : 'The conversation was erased'
    case 'conversation.restored':
      return 'The store was restored from a backup. Later events are lost, and calls that were under way are in doubt'
    case 'conversation.forked':
      return `Forked from ${event.from.conversationId} at event ${event.from.seq}`
    case 'participants.changed':
      return participantsWords(event)
    case 'turn.started':
      return event.items.length === 0 ? 'The turn was continued' : event.items.map(itemWords).join(' · ')
    case 'message.queued':
      return `${itemWords(event.item)}, and waits for the current turn to end`
    case 'message.changed':
      return `Hooks changed the prompt: ${event.hooks.join(', ')}`
    case 'model.replied':
      return (
        event.reply.parts
          .map(partWords)
          .filter((words) => words !== '')
          .join(' · ') || 'The model sent an empty reply'
      )
    case 'turn.ended':
      return `The turn ended: ${event.message ?? event.reason.replaceAll('_', ' ')}`
    case 'answer.arrived':
      return `A late answer to ${event.name}`
    case 'state.changed':
      return `The plugin ${event.plugin} changed its state`
    case 'plan.set':
      return `Planned: ${event.plan.what}`
    case 'plan.removed':
      return 'A plan was cancelled'
    case 'plan.fired':
      return `A plan fired: ${event.what}`
    case 'notices.delivered':
      return event.count === 1 ? 'One notice was delivered' : `${event.count} notices were delivered`
    case 'call.held':
    case 'call.rewritten':
    case 'call.resumed':
    case 'call.endorsed':
    case 'call.approved':
    case 'call.judged':
    case 'call.cleared':
    case 'call.started':
    case 'call.settled':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
      return `${calls.nameOf(event.callId)} ${callWords(event, calls)}`
  }
}

type CallEvent = Extract<LogEvent, { readonly type: `call.${string}` | `hold.${string}` }>

function callWords(event: CallEvent, { isToInputShown }: CallsOfLog): string {
  switch (event.type) {
    case 'call.held': {
      const { kind, reason } = event.hold
      return reason === undefined ? HELD_WORDS[kind] : `${HELD_WORDS[kind]}: ${reason}`
    }
    case 'call.rewritten':
      return `got a changed input from ${event.hooks.join(', ')}`
    case 'call.resumed':
      return event.by === undefined ? 'continues' : `continues: ${event.by} answered`
    case 'call.endorsed':
      return `has one more approval${isToInputShown(event) ? '' : ', of a changed input'}, from ${event.by}`
    case 'hold.reminded':
      return 'still waits: its approvers were reminded'
    case 'hold.escalated':
      return `was also given to ${event.to.join(', ')}`
    case 'hold.assigned':
      return event.assignee === undefined
        ? `was unassigned by ${event.by ?? 'a user'}`
        : `was assigned to ${event.assignee}`
    case 'hold.commented':
      return `has a comment from ${event.by ?? 'a user'}: ${event.text}`
    case 'call.approved':
      return `was approved by ${event.by ?? 'a user'}${event.effective === undefined ? '' : ', with changes'}`
    case 'call.judged':
      return event.decision ? ruleDecisionWords(event.decision) : 'met a rule in shadow mode'
    case 'call.cleared':
      return 'needs no approval'
    case 'call.started':
      return event.attempt > 1 ? `runs again, attempt ${event.attempt}` : 'runs'
    case 'call.settled':
      return event.outcome.ok ? 'is done' : `ended without a result: ${event.outcome.error.message}`
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
      return `${item.message.by ?? 'A user'} said: ${text}`
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
          return `The trigger ${item.event.name} fired`
      }
  }
}

function participantsWords({ add, remove, owner }: Extract<LogEvent, { type: 'participants.changed' }>): string {
  const changes = [
    ...(owner === undefined ? [] : [`${owner} is the new owner`]),
    ...(add.length > 0 ? [`${add.join(', ')} added`] : []),
    ...(remove.length > 0 ? [`${remove.join(', ')} removed`] : []),
  ]
  return `Participants: ${changes.join('; ')}`
}

const BY_RULE = {
  allow: 'was allowed by a rule',
  ask: 'needs approval by a rule',
  deny: 'was denied by a rule',
} as const

function ruleDecisionWords({ effect, why, ignored }: RuleDecision): string {
  return ignored === undefined ? `${BY_RULE[effect]}: ${why}` : `met a rule that its gate does not follow: ${ignored}`
}
