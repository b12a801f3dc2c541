/**
 * The evidence about one held call: what was shown, which gate or rule required it, who was asked, who decided and how they were
 * authenticated, the verdict, and what the call did. It is computed from the events of the call, and names the seq of each, so that
 * it can be compared with the log.
 */
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Author } from '../log/message.ts'
import { callsOf } from '../model/reply.ts'
import type { Decider } from '../principal.ts'
import type { RuleDecision } from '../rule/rule.ts'
import type { ToolDefinition } from '../tool/definition.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold, Resolution } from '../turn/hold.ts'

export interface Evidence {
  readonly conversationId: string
  readonly callId: string
  readonly tool: string
  /** When the model asked for the call, with which input, and who wrote what the turn is about. */
  readonly asked: At & { readonly input: Json; readonly askedBy: readonly Author[] }
  /** Every hold of the call, in order. */
  readonly holds: readonly EvidenceHold[]
  /** What rules decided about the call, in order. */
  readonly rules: readonly (At & { readonly decision?: RuleDecision; readonly shadow?: RuleDecision })[]
  /** Each time that the call began to run. */
  readonly starts: readonly (At & { readonly attempt: number })[]
  /** How the call ended; left out while it is open. */
  readonly outcome?: At & { readonly outcome: CallOutcome }
  /** The seqs of all events that this is computed from. */
  readonly seqs: readonly number[]
}

interface At {
  readonly seq: number
  readonly at: number
}

export interface EvidenceHold extends At {
  readonly kind: Hold['kind']
  /** Why the call was held, as approvers read it. */
  readonly reason?: string
  readonly cause: Hold['cause']
  /** What approvers were shown, and the hashes that an approval is bound to. */
  readonly shown: {
    readonly input: Json
    readonly inputHash: string
    readonly fingerprint: string
    readonly definition?: ToolDefinition
  }
  /** The people and groups that were asked. Left out: each person with the right to resolve. */
  readonly to?: readonly string[]
  /** How many different people must approve. */
  readonly approvers: number
  readonly notRequester?: true
  readonly expiresAt: number
  /** Reminders, escalations, assignments and comments. */
  readonly meanwhile: readonly (At & { readonly what: string; readonly by?: string })[]
  readonly answers: readonly EvidenceAnswer[]
  /** `open`: it still waits. `expired`: no answer came in time. `ended`: its turn ended first. */
  readonly verdict: 'approved' | 'rejected' | 'answered' | 'expired' | 'ended' | 'open'
}

export interface EvidenceAnswer extends At, Decider {
  /** `endorse`: one of several approvals. */
  readonly kind: Resolution['kind'] | 'endorse'
  /** The hash of the input that was approved. */
  readonly inputHash?: string
  readonly resolution?: Resolution
}

/** `events` are those about the call, first the reply that made it. Undefined if they are not those of a call. */
export function evidenceOf(conversationId: string, callId: string, events: readonly LogEvent[]): Evidence | undefined {
  const reply = events.find((event) => event.type === 'model.replied')
  const part = reply && callsOf(reply.reply).find((each) => each.callId === callId)
  if (!reply || !part) return undefined
  const about = events.filter((event) => 'callId' in event && event.callId === callId)
  const firstHold = about.find((event) => event.type === 'call.held')?.hold
  const ended = about.findLast((event) => event.type === 'call.settled' || event.type === 'answer.arrived')
  return {
    conversationId,
    callId,
    tool: part.name,
    asked: { ...when(reply), input: part.input, askedBy: firstHold?.askedBy ?? [] },
    holds: about.flatMap((event, index) => (event.type === 'call.held' ? [holdOf(event, about.slice(index + 1))] : [])),
    rules: about.flatMap((event) => {
      if (event.type !== 'call.judged') return []
      const { decision, shadow } = event
      return [{ ...when(event), ...(decision && { decision }), ...(shadow && { shadow }) }]
    }),
    starts: about.flatMap((event) =>
      event.type === 'call.started' ? [{ ...when(event), attempt: event.attempt }] : [],
    ),
    ...(ended && { outcome: { ...when(ended), outcome: ended.outcome } }),
    seqs: [reply, ...about].map(({ seq }) => seq),
  }
}

function when({ seq, at }: LogEvent): At {
  return { seq, at }
}

type Held = Extract<LogEvent, { readonly type: 'call.held' }>

/** `later`: the events after it. They are about this hold until the call is held again. */
function holdOf(held: Held, later: readonly LogEvent[]): EvidenceHold {
  const next = later.findIndex(({ type }) => type === 'call.held')
  const own = next < 0 ? later : later.slice(0, next)
  const { kind, reason, cause, input, inputHash, fingerprint, definition } = held.hold
  const { to, approvers, notRequester, expiresAt } = held.hold
  const answers = own.flatMap(answerOf)
  return {
    ...when(held),
    kind,
    ...(reason !== undefined && { reason }),
    cause,
    shown: { input, inputHash, fingerprint, ...(definition && { definition }) },
    ...(to && { to }),
    approvers,
    ...(notRequester && { notRequester }),
    expiresAt,
    meanwhile: own.flatMap(meanwhileOf),
    answers,
    verdict: verdictOf(answers, own),
  }
}

function answerOf(event: LogEvent): readonly EvidenceAnswer[] {
  if (event.type === 'call.endorsed')
    return [{ ...when(event), ...decidedBy(event), kind: 'endorse', inputHash: event.inputHash }]
  if (event.type === 'call.approved') {
    const { resolution, inputHash } = event
    return [{ ...when(event), ...decidedBy(event), kind: resolution.kind, inputHash, resolution }]
  }
  if (event.type !== 'call.settled' && event.type !== 'call.resumed' && event.type !== 'answer.arrived') return []
  const { resolution } = event
  return resolution ? [{ ...when(event), ...decidedBy(event), kind: resolution.kind, resolution }] : []
}

function decidedBy({ by, via, onBehalfOf, auth }: Decider): Decider {
  return {
    ...(by !== undefined && { by }),
    ...(via !== undefined && { via }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
    ...(auth && { auth }),
  }
}

function meanwhileOf(event: LogEvent): EvidenceHold['meanwhile'] {
  if (event.type === 'hold.reminded') return [{ ...when(event), what: 'The approvers were reminded.' }]
  if (event.type === 'hold.escalated') return [{ ...when(event), what: `It was escalated to ${event.to.join(', ')}.` }]
  const by = 'by' in event && typeof event.by === 'string' ? { by: event.by } : {}
  if (event.type === 'hold.assigned') return [{ ...when(event), what: `Assignee: ${event.assignee ?? 'none'}.`, ...by }]
  return event.type === 'hold.commented' ? [{ ...when(event), what: `Comment: ${event.text}`, ...by }] : []
}

function verdictOf(answers: readonly EvidenceAnswer[], own: readonly LogEvent[]): EvidenceHold['verdict'] {
  const last = answers.findLast(({ kind }) => kind !== 'endorse')
  if (last?.kind === 'approve') return 'approved'
  if (last?.kind === 'reject') return 'rejected'
  if (last) return 'answered'
  const settled = own.find((event) => event.type === 'call.settled')
  if (settled?.outcome.ok === false) return settled.outcome.error.code === 'expired' ? 'expired' : 'ended'
  return settled || own.some(({ type }) => type === 'call.resumed') ? 'expired' : 'open'
}
