/**
 * The life of one call. `moves` is the whole of the safety promise: `held` is not among the states a start may come
 * from, and nothing leads out of `settled`.
 */
import { HoldpointError } from '../failure.ts'
import type { Display, LogEvent, Placed } from '../log/log-event.ts'
import { callsOf, type CallPart } from '../model/reply.ts'
import type { Resolved } from './hold.ts'
import type { Call } from './turn-state.ts'

type Settled = Extract<Call, { readonly at: 'settled' }>
type CallEvent = Extract<LogEvent, { readonly callId: string }>

const moves: Record<CallEvent['type'], readonly Call['at'][]> = {
  'call.rewritten': ['ready'],
  'call.held': ['ready', 'running'],
  'call.resumed': ['held'],
  'call.endorsed': ['held'],
  'call.approved': ['held'],
  'call.cleared': ['ready', 'running'],
  'call.started': ['ready', 'running'],
  'call.settled': ['ready', 'running', 'held'],
  'answer.arrived': ['settled'],
}

/** What the event of a reply says about its calls. */
interface Replied {
  readonly placed?: Placed
  readonly display?: readonly Display[]
}

/** `seq` is of the reply that has it. */
export function newCall(part: CallPart, seq: number, { placed, display }: Replied = {}): Call {
  const place = placed?.calls.find(({ callId }) => callId === part.callId)
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
    place: place && { space: place.space, shown: place.shown === true },
    ...(shown?.streaming && { streaming: true }),
    ...(shown?.silent && { silent: true }),
    at: 'ready',
  }
}

export function evolveCall(call: Call, event: CallEvent): Call {
  if (!moves[event.type].includes(call.at)) return impossible(call, event)
  const seqs = [...call.seqs, event.seq]
  switch (event.type) {
    case 'call.rewritten':
      return { ...call, seqs, edited: event.input }
    case 'call.held':
      return { ...facts(call), seqs, ...afterHold(call, event), holds: call.holds + 1, at: 'held', hold: event.hold }
    case 'call.resumed':
      return { ...facts(call), seqs, ...resumption(call, event), resolved: resolvedWith(call, event), at: 'ready' }
    case 'call.endorsed':
      return { ...call, seqs, endorsed: [...call.endorsed, { by: event.by, inputHash: event.inputHash }] }
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

/** By an answer, or by the deadline. After the deadline the hold is kept for a late answer. */
function answered(call: Settled, event: Extract<CallEvent, { type: 'answer.arrived' }>): Call {
  return { ...call, resolved: resolvedWith(call, event), hold: event.resolution ? undefined : call.hold, open: false }
}

/** A call as events tell it, whichever else they are about. */
export function callIn(events: readonly LogEvent[], callId: string): Call | undefined {
  let call: Call | undefined
  for (const event of events) {
    if (event.type === 'model.replied') {
      const part = callsOf(event.reply).find((each) => each.callId === callId)
      if (part) call = newCall(part, event.seq, event)
    } else if (call && 'callId' in event && event.callId === callId) call = evolveCall(call, event)
  }
  return call
}

/** What stays true of a call wherever it is; the other fields belong to one state. */
function facts(call: Call): Omit<Call, 'at'> {
  const { callId, name, proposed, malformed, edited, approved, endorsed, attempt, seqs } = call
  const { holds, kept, resumed, resolved, place, streaming, silent } = call
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
    place,
    ...(streaming && { streaming }),
    ...(silent && { silent }),
  }
}

/**
 * A question in the middle of a call leaves the yes it runs under as it is: it is still that call. Any other hold asks
 * for a new one, and leaves what the handler was going on with.
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
  const { kind: hold, accepts } = call.hold
  return [
    ...call.resolved,
    { hold, nth: call.holds, accepts, resolution: event.resolution, by: event.by, at: event.at },
  ]
}

/** How a call is shown, for the answer that comes after its turn. */
export function howShown({ place, silent }: Call): { readonly shownIn?: string; readonly silent?: true } {
  return { ...(place?.shown && { shownIn: place.space }), ...(silent && { silent }) }
}

function impossible(call: Call, event: CallEvent): never {
  throw new HoldpointError(
    'history-impossible',
    `Event ${event.seq} (${event.type}) cannot have happened: call ${call.callId} was ${call.at}. The log is damaged; restore it.`,
  )
}
