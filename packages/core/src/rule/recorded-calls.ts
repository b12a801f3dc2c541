/** The calls of a log as rules would have seen them, and how each was decided. For a backtest. */
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import { authorsOfAll, type Author } from '../log/message.ts'
import { callsOf } from '../model/reply.ts'
import { inputHash } from '../tool/fingerprint.ts'

/** `ran`: no person was asked. `denied`: by a rule. */
export type Decided = 'approved' | 'rejected' | 'expired' | 'waiting' | 'ran' | 'denied'

export interface RecordedCall {
  readonly callId: string
  readonly tool: string
  readonly at: number
  readonly agent: string
  readonly people: readonly (string | undefined)[]
  /** As the log has it last: the input of a hold, or the one that the model wrote. */
  readonly input: Json
  /** Whether that is the input as the tool's schema returned it. */
  readonly validated: boolean
  /** The definition of the tool, where the log names one. */
  readonly fingerprint: string | undefined
  readonly decided: Decided
  /** The person who decided. */
  readonly by?: string
  /** The gate of the call required an approval that no rule can take the place of. */
  readonly strictGate: boolean
}

/** Calls that ended before anything was decided about them. */
const UNDECIDED: readonly string[] = [
  'unknown-tool',
  'invalid-input',
  'vetoed',
  'not-in-space',
  'cancelled',
  'superseded',
]

export function recordedCalls(events: Iterable<LogEvent>): readonly RecordedCall[] {
  const calls = new Map<string, RecordedCall>()
  let [agent, people]: [string, RecordedCall['people']] = ['', []]
  for (const event of events) {
    if (event.type === 'turn.started') {
      agent = event.agent
      if (event.items.length > 0) people = namesOf(authorsOfAll(event.items))
    }
    if (event.type === 'model.replied')
      for (const { callId, name, input, malformed } of callsOf(event.reply)) {
        const made = { callId, tool: name, at: event.at, agent, people, input, validated: false, strictGate: false }
        if (malformed === undefined) calls.set(callId, { ...made, fingerprint: undefined, decided: 'ran' })
      }
    if (!('callId' in event)) continue
    const call = calls.get(event.callId)
    const moved = call && moveRecord(call, event)
    if (moved) calls.set(event.callId, moved)
    else calls.delete(event.callId)
  }
  return [...calls.values()]
}

/** Undefined for a call that no rule would have seen. */
function moveRecord(
  call: RecordedCall,
  event: Extract<LogEvent, { readonly callId: string }>,
): RecordedCall | undefined {
  switch (event.type) {
    case 'call.rewritten':
      return { ...call, input: event.input }
    case 'call.cleared':
      return { ...call, fingerprint: event.fingerprint }
    case 'call.held': {
      const { input, fingerprint, kind, cause, rules, inputHash: hash } = event.hold
      const seen = { ...call, input, fingerprint, validated: inputHash(input) === hash }
      // Only the first approval is about whether the call may run.
      if (kind !== 'approval' || cause !== 'tool' || call.decided !== 'ran') return call.decided === 'ran' ? seen : call
      return { ...seen, decided: 'waiting', strictGate: rules === undefined }
    }
    case 'call.approved':
      return call.decided === 'waiting' ? { ...call, decided: 'approved', ...named(event) } : call
    case 'call.settled': {
      if (!event.outcome.ok && call.decided !== 'approved') {
        const { code } = event.outcome.error
        if (code === 'denied') return { ...call, decided: 'denied' }
        if (call.decided === 'ran' && UNDECIDED.includes(code)) return undefined
        if (call.decided === 'waiting' && event.resolution?.kind === 'reject')
          return { ...call, decided: 'rejected', ...named(event) }
        if (call.decided === 'waiting' && code === 'expired') return { ...call, decided: 'expired' }
        if (call.decided === 'waiting') return undefined
      }
      return call
    }
    case 'call.judged':
    case 'call.resumed':
    case 'call.endorsed':
    case 'call.started':
    case 'answer.arrived':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
      return call
  }
}

function named({ by }: { readonly by?: string }): { readonly by?: string } {
  return by === undefined ? {} : { by }
}

export function namesOf(authors: readonly Author[]): readonly (string | undefined)[] {
  return authors.map(({ by, kind }) => (kind === 'agent' ? undefined : by))
}
