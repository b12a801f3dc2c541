/**
 * Explains a turn: for each step, which part of the conversation the prompt showed, what it left out, and why. It is computed from
 * the log, which records where each prompt began. Only an audit record has the instructions of that time, and the texts that
 * hooks and plugins added for one turn.
 */
import type { EndReason, FailedAttempt, LogEvent, Shown } from '../log/log-event.ts'
import type { Address, Store } from '../log/store.ts'
import type { Agent } from '../agent/agent.ts'
import { showAs, type ShownPassage } from '../context/fit.ts'
import type { RetentionOf } from '../context/retention.ts'
import { SUMMARY, summaryOf, type Summary } from '../context/summary.ts'
import { callsOf, type Usage } from '../model/reply.ts'
import { Transcript } from '../prompt/transcript.ts'
import { explainCall, type ExplainedCall } from './explain-call.ts'
import { AUDIT, recordOf, type AuditRecord } from './audit.ts'

export interface Explanation {
  readonly turnId: string
  /** The steps in which the model replied. */
  readonly steps: readonly ExplainedStep[]
  /** Why the turn ended, if it did not end with an accepted reply. */
  readonly ended?: {
    readonly reason: EndReason
    readonly message?: string
    readonly attempts?: readonly FailedAttempt[]
  }
}

export interface ExplainedStep {
  readonly step: number
  /** The seq of the reply. */
  readonly seq: number
  /** The prompt showed everything from this seq on, except `leftOut`. */
  readonly from: number
  /** The summary that the prompt showed in place of older events. */
  readonly summary?: Summary
  readonly seen: readonly Seen[]
  readonly leftOut: readonly LeftOut[]
  /** The calls of the reply: which rule or gate decided about each, and why. */
  readonly calls: readonly ExplainedCall[]
  readonly usage: Usage
  readonly attempts?: readonly FailedAttempt[]
  /** A hook sent the reply back. */
  readonly sentBack?: { readonly hook: string; readonly feedback: string }
  /** The exact request, if the agent keeps audit records. Users read explanations, so the vendor's errors are left out. */
  readonly audit?: Omit<AuditRecord, 'causes'>
}

export interface Seen {
  readonly seq: number
  readonly what: 'message' | 'reply' | 'result'
  readonly turnId?: string
  readonly callId?: string
  readonly tool?: string
}

export type LeftOut =
  | {
      readonly what: 'turns'
      /** A range of seqs, including both ends. */
      readonly from: number
      readonly to: number
      readonly why: 'summarised' | 'no-room'
    }
  | {
      readonly what: 'result'
      readonly seq: number
      readonly callId: string
      readonly tool: string
      readonly why: 'retention' | 'no-room'
    }
  /** The calls and replies of a turn of which the prompt shows only the message and the final reply. */
  | { readonly what: 'steps'; readonly from: number; readonly why: 'own-words' }
  | { readonly what: 'reply'; readonly seq: number; readonly why: 'sent-back' | 'withheld' }

const PAGE = 256

/** Explains the turn with this id, or the newest one. Undefined if there is none. */
export async function explain(
  store: Store,
  address: Address,
  agent: Agent,
  turnId: string | undefined,
): Promise<Explanation | undefined> {
  const log = new LogFromEnd(store, address)
  const isIt = (event: LogEvent): boolean =>
    event.type === 'turn.started' && (turnId === undefined || event.turnId === turnId)
  if (!(await log.reach((events) => events.some(isIt)))) return undefined
  const at = log.events.findLastIndex(isIt)
  const started = log.events[at] as Extract<LogEvent, { type: 'turn.started' }>
  const seqs = log.events
    .slice(at)
    .flatMap((event) => (event.type === 'model.replied' && event.turnId === started.turnId ? [event.seq] : []))
  const steps: ExplainedStep[] = []
  for (const seq of seqs) steps.push(await explainStep(log, seq, agent))
  const ended = log.events.find((event) => event.type === 'turn.ended' && event.turnId === started.turnId)
  if (ended?.type !== 'turn.ended') return { turnId: started.turnId, steps }
  const { reason, message, attempts } = ended
  const why = { reason, ...(message !== undefined && { message }), ...(attempts && { attempts }) }
  return { turnId: started.turnId, steps, ended: why }
}

async function explainStep(log: LogFromEnd, seq: number, agent: Agent): Promise<ExplainedStep> {
  const hasShown = (event: LogEvent): boolean => event.type === 'model.replied' && event.shown !== undefined
  await log.reach((events) => events.some((event) => event.seq <= seq && hasShown(event)))
  const replied = log.events.findLast((event) => event.seq <= seq && hasShown(event))
  const shown: Shown = (replied?.type === 'model.replied' && replied.shown) || { from: 1 }
  await log.reach((events) => (events[0]?.seq ?? 1) <= shown.from)
  const before = log.events.filter((event) => event.seq >= shown.from && event.seq < seq)
  const { retention, ownWordsAfter, count } = agent.context
  const { passages } = Transcript.of(before)
  const settings = { ownWordsAfter, count, encode: agent.encodeOutcome, inject: [] }
  const retentionOf: RetentionOf = (name) => agent.toolbox.tools.get(name)?.retention ?? retention
  const shownPassages = showAs({ ...settings, passages, retentionOf }, shown)
  const reply = log.events.find((event) => event.seq === seq) as Extract<LogEvent, { type: 'model.replied' }>
  const after = log.events.filter((event) => event.seq > seq)
  const summary = shown.summary === undefined ? undefined : await log.summary(shown.summary)
  const audit = await log.audit(reply.turnId, reply.step, seq)
  return {
    step: reply.step,
    seq,
    from: passages[0]?.from ?? shown.from,
    ...(summary && { summary }),
    seen: shownPassages.flatMap(seenIn),
    leftOut: [...earlier(shown), ...shownPassages.flatMap(leftOutOf)],
    calls: callsOf(reply.reply).map((part) => explainCall(part, after)),
    usage: reply.reply.usage,
    ...(reply.attempts && { attempts: reply.attempts }),
    ...(reply.again && { sentBack: reply.again }),
    ...(audit && { audit }),
  }
}

function earlier({ from, summary = 0 }: Shown): LeftOut[] {
  const summarized: LeftOut[] = summary > 0 ? [{ what: 'turns', from: 1, to: summary, why: 'summarised' }] : []
  const gap: LeftOut[] = from - 1 > summary ? [{ what: 'turns', from: summary + 1, to: from - 1, why: 'no-room' }] : []
  return [...summarized, ...gap]
}

function seenIn({ passage, rendered }: ShownPassage): Seen[] {
  const calls = new Map(passage.calls.map(({ callId, name }) => [callId, name]))
  return passage.events.flatMap((event): Seen[] => {
    const { seq } = event
    if (!rendered.seen.has(seq)) return []
    if (event.type === 'turn.started') return [{ seq, what: 'message', turnId: event.turnId }]
    if (event.type === 'model.replied') return [{ seq, what: 'reply', turnId: event.turnId }]
    if (event.type !== 'call.settled') return []
    return [{ seq, what: 'result', callId: event.callId, tool: calls.get(event.callId) ?? '' }]
  })
}

function leftOutOf({ passage, rendered, stale }: ShownPassage): LeftOut[] {
  const { seen, ownWords } = rendered
  if (ownWords && passage.calls.length > 0) return [{ what: 'steps', from: passage.from, why: 'own-words' }]
  const made = new Map(passage.calls.map((call) => [call.callId, call]))
  return passage.events.flatMap((event): LeftOut[] => {
    if (seen.has(event.seq)) return []
    if (event.type === 'model.replied' && (event.again ?? event.withheld))
      return [{ what: 'reply', seq: event.seq, why: event.again ? 'sent-back' : 'withheld' }]
    const call = event.type === 'call.settled' ? made.get(event.callId) : undefined
    if (!call) return []
    const why = stale.has(call.callId) ? 'retention' : 'no-room'
    return [{ what: 'result', seq: call.seq, callId: call.callId, tool: call.name, why }]
  })
}

/** Reads a log from its end, as far back as the caller needs. */
class LogFromEnd {
  readonly events: LogEvent[] = []
  readonly #store: Store
  readonly #address: Address
  #before = Infinity

  constructor(store: Store, address: Address) {
    this.#store = store
    this.#address = address
  }

  /** Reads older events until `enough` returns true for them, or all are read. Returns the last result of `enough`. */
  async reach(enough: (events: readonly LogEvent[]) => boolean): Promise<boolean> {
    while (!enough(this.events)) {
      const before = this.#before === Infinity ? (await this.#head()) + 1 : this.#before
      const older = before > 1 ? await this.#store.readBack(this.#address, before, PAGE) : []
      if (older.length === 0) return false
      this.events.unshift(...older)
      this.#before = older[0]!.seq
    }
    return true
  }

  async #head(): Promise<number> {
    return (await this.#store.heads([this.#address]))[0] ?? 0
  }

  async summary(upTo: number): Promise<Summary | undefined> {
    const [note] = await this.#store.notes(this.#address, { kind: SUMMARY, before: upTo + 1, limit: 1 })
    return note && summaryOf(note)
  }

  /** An audit record is stored at the seq that the log had when the model was asked, before the reply. */
  async audit(turnId: string, step: number, seq: number): Promise<ExplainedStep['audit']> {
    const notes = await this.#store.notes(this.#address, { kind: AUDIT, before: seq, limit: 5 })
    const records = notes.flatMap((note) => recordOf(note) ?? [])
    const found = records.find((each) => each.turnId === turnId && each.step === step)
    if (!found) return undefined
    const { causes: _causes, ...shown } = found
    return shown
  }
}
