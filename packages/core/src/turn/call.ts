/**
 * The states of one call. `moves` lists the states that each event may come from: a held call cannot start, and a settled
 * call never changes its outcome.
 */
import { HoldpointError } from '../failure.ts'
import type { Author } from '../log/message.ts'
import type { Display, LogEvent, ReplySpaces } from '../log/log-event.ts'
import { callsOf, type CallPart } from '../model/reply.ts'
import { doneBy } from '../principal.ts'
import { addresseesOf, type Hold, type Resolved } from './hold.ts'
import { restoreCall } from './restore-call.ts'
import type { Call } from './turn-state.ts'

type Settled = Extract<Call, { readonly at: 'settled' }>
type CallEvent = Extract<LogEvent, { readonly callId: string }>
type HoldEvent = Extract<CallEvent, { readonly type: `hold.${string}` }>

const moves: Record<Exclude<CallEvent, HoldEvent>['type'], readonly Call['at'][]> = {
  'call.rewritten': ['ready'],
  'call.judged': ['ready', 'running'],
  'call.held': ['ready', 'running'],
  'call.resumed': ['held'],
  'call.endorsed': ['held'],
  'call.approved': ['held'],
  'call.cleared': ['ready', 'running'],
  'call.started': ['ready', 'running'],
  'call.settled': ['ready', 'running', 'held'],
  'answer.arrived': ['settled'],
}

/** The fields of `model.replied` that are about calls. */
interface Replied {
  readonly spaces?: ReplySpaces
  readonly display?: readonly Display[]
}

/** `seq` is that of the reply. */
export function newCall(part: CallPart, seq: number, { spaces, display }: Replied = {}): Call {
  const inSpace = spaces?.calls.find(({ callId }) => callId === part.callId)
  const shown = display?.find(({ callId }) => callId === part.callId)
  return {
    callId: part.callId,
    name: part.name,
    proposed: part.input,
    malformed: part.malformed,
    edited: undefined,
    approved: undefined,
    endorsed: [],
    holds: 0,
    kept: undefined,
    resumed: undefined,
    resolved: [],
    attempt: 0,
    seqs: [seq],
    inSpace: inSpace && { space: inSpace.space, shown: inSpace.shown === true },
    ...(shown?.streaming && { streaming: true }),
    ...(shown?.silent && { silent: true }),
    at: 'ready',
  }
}

export function evolveCall(call: Call, event: CallEvent): Call {
  const seqs = [...call.seqs, event.seq]
  if (isHoldEvent(event)) return { ...evolveHold(call, event), seqs }
  if (!moves[event.type].includes(call.at)) return impossible(call, event)
  switch (event.type) {
    case 'call.rewritten':
      return { ...call, seqs, edited: event.input }
    case 'call.judged':
      return { ...call, seqs, judged: event.decision }
    case 'call.held':
      return { ...facts(call), seqs, ...afterHold(call, event), holds: call.holds + 1, at: 'held', hold: event.hold }
    case 'call.resumed':
      return { ...facts(call), seqs, ...resumption(call, event), resolved: resolvedWith(call, event), at: 'ready' }
    case 'call.endorsed':
      return {
        ...call,
        seqs,
        endorsed: [...call.endorsed, { ...doneBy(event), by: event.by, inputHash: event.inputHash }],
      }
    case 'call.approved': {
      const edited = (event.resolution.kind === 'approve' ? event.resolution.input : undefined) ?? call.edited
      const { definition } = ('hold' in call && call.hold) || {}
      const { inputHash, fingerprint } = event
      const approved = { inputHash, fingerprint, ...(definition && { definition }) }
      return { ...facts(call), seqs, edited, approved, endorsed: [], resolved: resolvedWith(call, event), at: 'ready' }
    }
    case 'call.cleared':
      return { ...call, seqs, approved: { inputHash: event.inputHash, fingerprint: event.fingerprint } }
    case 'call.started':
      if (event.attempt !== call.attempt + 1) return impossible(call, event)
      return { ...call, seqs, attempt: event.attempt, at: 'running' }
    case 'call.settled': {
      const hold = call.at === 'held' && !event.resolution ? call.hold : undefined
      const open = hold?.async === true && event.outcome.ok
      const { outcome } = event
      return { ...call, seqs, resolved: resolvedWith(call, event), at: 'settled', outcome, hold, open }
    }
    case 'answer.arrived':
      return { ...answered(call as Settled, event), seqs } // as `moves` has it
  }
}

function isHoldEvent(event: CallEvent): event is HoldEvent {
  return event.type.startsWith('hold.')
}

/** Only an open hold changes. */
function evolveHold(call: Call, event: HoldEvent): Call {
  const hold = openHold(call)
  if (!hold) return impossible(call, event)
  switch (event.type) {
    case 'hold.reminded': {
      const { remindAt: _remindAt, ...left } = hold
      return { ...call, hold: left } as Call
    }
    case 'hold.escalated': {
      const { escalation: _escalation, ...left } = hold
      return { ...call, hold: { ...left, to: [...(hold.to ?? []), ...event.to] } } as Call
    }
    case 'hold.assigned':
      return { ...call, assignee: event.assignee }
    case 'hold.commented':
      return { ...call, comments: [...(call.comments ?? []), { text: event.text, at: event.at, ...doneBy(event) }] }
  }
}

export function openHold(call: Call): Hold | undefined {
  if (call.at === 'held') return call.hold
  return call.at === 'settled' && call.open ? call.hold : undefined
}

/** The authors for whom the call was held, now or before. */
export function askersOf(call: Call | undefined): readonly Author[] {
  if (!call) return []
  const hold = call.at === 'held' || call.at === 'settled' ? call.hold : undefined
  return [hold, ...call.resolved].flatMap((each) => each?.askedBy ?? [])
}

/** The hold ended by an answer or by its deadline. After the deadline, the hold is kept for a late answer. */
function answered(call: Settled, event: Extract<CallEvent, { type: 'answer.arrived' }>): Call {
  return { ...call, resolved: resolvedWith(call, event), hold: event.resolution ? undefined : call.hold, open: false }
}

/** The state of one call, folded from events. Other events are ignored. */
export function callIn(events: readonly LogEvent[], callId: string): Call | undefined {
  let call: Call | undefined
  for (const event of events) {
    if (event.type === 'model.replied') {
      const part = callsOf(event.reply).find((each) => each.callId === callId)
      if (part) call = newCall(part, event.seq, event)
    } else if (call && event.type === 'conversation.restored') call = restoreCall(call, event)
    else if (call && 'callId' in event && event.callId === callId) call = evolveCall(call, event)
  }
  return call
}

/** The fields that a call has in every state. */
function facts(call: Call): Omit<Call, 'at'> {
  const { callId, name, proposed, malformed, edited, approved, endorsed, attempt, seqs } = call
  const { holds, kept, resumed, resolved, inSpace, streaming, silent, restored, judged } = call
  return {
    callId,
    name,
    proposed,
    malformed,
    edited,
    approved,
    endorsed,
    holds,
    kept,
    resumed,
    resolved,
    attempt,
    seqs,
    inSpace,
    ...(judged && { judged }),
    ...(streaming && { streaming }),
    ...(silent && { silent }),
    ...(restored && { restored }),
  }
}

/**
 * A question or a `later` in the middle of a call keeps its approval. Any other hold drops the approval, and keeps what the
 * handler continues with.
 */
function afterHold(
  call: Call,
  { hold, state }: Extract<CallEvent, { type: 'call.held' }>,
): Pick<Call, 'approved' | 'kept' | 'resumed'> {
  const { approved, kept, resumed } = call
  return hold.resumes ? { approved, kept: state, resumed: undefined } : { approved: undefined, kept, resumed }
}

function resumption(
  call: Call,
  { resolution, by }: Extract<CallEvent, { type: 'call.resumed' }>,
): Pick<Call, 'kept' | 'resumed'> {
  const answer = resolution?.kind === 'approve' ? undefined : resolution
  return { kept: undefined, resumed: { state: call.kept, answer, by, from: call.attempt } }
}

function resolvedWith(
  call: Call,
  event: Extract<CallEvent, { type: 'call.approved' | 'call.resumed' | 'call.settled' | 'answer.arrived' }>,
): readonly Resolved[] {
  if (!event.resolution || !('hold' in call) || !call.hold) return call.resolved
  const { resolution, at } = event
  const { kind: hold, accepts } = call.hold
  const of = { hold, nth: call.holds, accepts, ...addresseesOf(call.hold) }
  return [...call.resolved, { ...of, resolution, ...doneBy(event), at }]
}

/** How the call is shown, for the event of an answer that arrives after its turn. */
export function howShown({ inSpace, silent }: Call): { readonly shownIn?: string; readonly silent?: true } {
  return { ...(inSpace?.shown && { shownIn: inSpace.space }), ...(silent && { silent }) }
}

function impossible(call: Call, event: CallEvent): never {
  throw new HoldpointError(
    'history-impossible',
    `Event ${event.seq} (${event.type}) cannot have happened: call ${call.callId} was ${call.at}. The log is damaged; restore it.`,
  )
}
