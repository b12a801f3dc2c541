/**
 * The state of one call according to its log. It is computed here, event by event, without the code under test.
 */
import type { CallOutcome, CallPart, Hold, HoldKind, Json, LogEvent, Resolution, RuleDecision } from '@holdpoint/core'
import { requestersOf } from './may-decide.ts'
import { mayAnswer } from './programs.ts'
import type { Judge } from './violation.ts'

export type CallEvent = Extract<LogEvent, { readonly callId: string }>

/** An answer in the log. `told`: a caller got `accepted` for it. */
export interface Taken {
  readonly nth: number
  readonly by: string | undefined
  readonly seq: number
  /** Undefined for one of several approvers. */
  readonly resolution: Resolution | undefined
  told: boolean
  /** The hold as it was then, and the time of the decision. An outage may delay the write. */
  readonly deciding: { readonly hold: Hold; readonly at: number } | undefined
}

/** The input that may run now, and its approver. */
interface Agreed {
  readonly fingerprint: string
  readonly people: number
  /** The rule that allowed it in place of an approval. */
  readonly byRule?: RuleDecision | undefined
}

export class CallRecord {
  readonly callId: string
  readonly tool: string
  readonly seq: number
  at: 'ready' | 'held' | 'running' | 'settled' = 'ready'
  /** The input that would run: the proposed one, or the one that an approver edited. */
  input: Json
  hold: Hold | undefined
  /** The kinds of its holds so far. */
  readonly kinds: Set<HoldKind> = new Set()
  /** How often it was held. */
  nth = 0
  agreed: Agreed | undefined
  /** The decision of rules that was followed. */
  #judged: RuleDecision | undefined
  starts = 0
  /** How often a person allowed another run after its process had died. */
  reruns = 0
  /** How often it resumed after a question, and the last answer. */
  resumptions = 0
  goesOnWith: { readonly state: Json | undefined; readonly answer: Resolution | undefined } | undefined
  #kept: Json | undefined
  readonly taken: Taken[] = []
  readonly endorsed: { readonly nth: number; readonly people: readonly string[]; readonly inputHash: string }[] = []
  /** The people and groups that its newest hold was made for. */
  madeFor: Hold['to']
  /** Whether a hold of it was for some people only. */
  heldFor = false
  outcome: { readonly seq: number; readonly value: CallOutcome; readonly answered: boolean } | undefined
  /** The model continued without its answer, which is still pending. */
  open = false
  arrived: 'answer' | 'expiry' | undefined = undefined
  /** The simulation steps in which the newest hold was made and the last one ended. */
  opened = 0
  closed: number = Infinity

  constructor(part: CallPart, seq: number) {
    this.callId = part.callId
    this.tool = part.name
    this.input = part.input
    this.seq = seq
  }

  /** When a process has to look at this hold: at the end of an absent client's grace, or at the deadline. */
  get lookAt(): number {
    if (!this.hold) return Infinity
    const { kind, expiresAt, timeoutMs, graceMs = timeoutMs, remindAt = Infinity, escalation } = this.hold
    if (kind === 'client') return Math.min(expiresAt, expiresAt - timeoutMs + graceMs)
    return Math.min(expiresAt, remindAt, escalation?.at ?? Infinity)
  }

  get waits(): boolean {
    return this.at === 'held' || this.open
  }

  /** The store was restored from a backup: it is asked about again, or its run is in doubt. */
  restored(at: number): void {
    if (!this.waits && this.at === 'ready') this.at = 'running'
    if (!this.waits || !this.hold) return
    const { expiresAt, timeoutMs, remindAt, escalation, accepts, kind } = this.hold
    const later = at - (expiresAt - timeoutMs)
    this.hold = {
      ...this.hold,
      expiresAt: expiresAt + later,
      ...(remindAt !== undefined && { remindAt: remindAt + later }),
      ...(escalation && { escalation: { ...escalation, at: escalation.at + later } }),
      ...(kind === 'approval' && !accepts.includes('answer') && { accepts: [...accepts, 'answer' as const] }),
    }
  }

  /** `now` is the store's time. */
  follow(event: CallEvent, judge: Judge, now: number, step: number): void {
    const waited = this.waits
    this.#move(event, judge, now)
    if (this.waits && !waited) [this.opened, this.closed] = [step, Infinity]
    if (!this.waits && waited) this.closed = step
  }

  #move(event: CallEvent, judge: Judge, now: number): void {
    const say = (what: string) => (): string => `call ${this.callId} (${this.tool}), event ${event.seq}: ${what}`
    judge.require(
      this.at !== 'settled' || event.type === 'answer.arrived' || event.type.startsWith('hold.'),
      'one-outcome',
      say(`${event.type} after its outcome`),
    )
    switch (event.type) {
      case 'call.rewritten':
        judge.require(this.at === 'ready', 'log-possible', say('rewritten after it was held or started'))
        return
      case 'call.held':
        judge.require(this.at !== 'held', 'log-possible', say('held while held'))
        Object.assign(this, { at: 'held', hold: event.hold, nth: this.nth + 1 })
        this.kinds.add(event.hold.kind)
        this.madeFor = event.hold.to
        if (event.hold.to || event.hold.notRequester) this.heldFor = true
        if (event.hold.resumes) this.#kept = event.state
        else this.agreed = undefined
        return
      case 'call.resumed':
        judge.require(this.at === 'held', 'log-possible', say('resumed while not held'))
        judge.require(
          event.resolution !== undefined || now >= (this.hold?.expiresAt ?? Infinity),
          'expiry-in-time',
          say('resumed early'),
        )
        this.#took(event, judge)
        this.at = 'ready'
        this.resumptions++
        this.goesOnWith = { state: this.#kept, answer: event.resolution }
        return
      case 'call.endorsed':
        judge.require(this.at === 'held', 'log-possible', say('endorsed while not held'))
        return this.#endorse(event, judge)
      case 'hold.reminded':
      case 'hold.escalated':
        return this.#routed(event, judge, now)
      case 'hold.assigned':
      case 'hold.commented':
        judge.require(this.hold !== undefined, 'log-possible', say('about a hold that is not open'))
        return
      case 'call.approved':
        judge.require(this.at === 'held', 'log-possible', say('approved while not held'))
        return this.#approve(event, judge, now, say)
      case 'call.judged':
        judge.require(this.at !== 'held', 'log-possible', say('rules judged a call that is held'))
        this.#judged = event.decision?.ignored === undefined ? event.decision : undefined
        // Asked again before the start: another rule may allow it now.
        if (this.agreed?.byRule) this.agreed = { ...this.agreed, byRule: this.#judged }
        return
      case 'call.cleared':
        judge.require(this.at !== 'held', 'held-waits', say('the gate approved a call that is held'))
        this.agreed = { fingerprint: event.fingerprint, people: 0, byRule: this.#judged }
        return
      case 'call.started':
        judge.require(this.at !== 'held', 'held-waits', say('started while held'))
        judge.require(event.attempt === ++this.starts, 'log-possible', say(`attempt ${event.attempt}`))
        this.at = 'running'
        return
      case 'call.settled':
        return this.#settle(event, judge, now, say)
      case 'answer.arrived':
        // If late answers are allowed, one may come after the expiry.
        judge.require(
          this.at === 'settled' && this.arrived !== 'answer' && (event.resolution !== undefined || !this.arrived),
          'one-outcome',
          say('one late answer too many'),
        )
        judge.require(
          event.resolution !== undefined || this.#due(now, event.outcome),
          'expiry-in-time',
          say('expired early'),
        )
        this.arrived = event.resolution ? 'answer' : 'expiry'
        this.open = false
        this.#took(event, judge)
    }
  }

  #endorse(event: Extract<CallEvent, { type: 'call.endorsed' }>, judge: Judge): void {
    const { by, onBehalfOf, inputHash, seq, at } = event
    const people = onBehalfOf === undefined ? [by] : [by, onBehalfOf]
    const asked = this.hold?.notRequester ? requestersOf(this.hold) : new Set()
    judge.require(!people.some((name) => asked.has(name)), 'only-who-may', () => `${people.join(' for ')} asked for it`)
    this.endorsed.push({ nth: this.nth, people, inputHash })
    const deciding = this.hold && { hold: this.hold, at }
    this.taken.push({ nth: this.nth, by, seq, resolution: undefined, told: false, deciding })
  }

  /** A reminder, or an escalation: each once, and not before its time. */
  #routed(event: Extract<CallEvent, { type: 'hold.reminded' | 'hold.escalated' }>, judge: Judge, now: number): void {
    if (!this.hold) return
    const { remindAt, escalation, ...hold } = this.hold
    const reminds = event.type === 'hold.reminded'
    const due = (reminds ? remindAt : escalation?.at) ?? Infinity
    judge.require(now >= due, 'route-in-time', () => `call ${this.callId}, event ${event.seq}: due at ${due}`)
    this.hold = reminds
      ? { ...hold, ...(escalation && { escalation }) }
      : { ...hold, ...(remindAt !== undefined && { remindAt }), to: [...(hold.to ?? []), ...event.to] }
  }

  #approve(
    event: Extract<CallEvent, { type: 'call.approved' }>,
    judge: Judge,
    now: number,
    say: (what: string) => () => string,
  ): void {
    const agreeing = this.endorsed.filter(({ nth, inputHash }) => nth === this.nth && inputHash === event.inputHash)
    const needed = this.hold?.approvers ?? 1
    const named = agreeing.flatMap(({ people: each }) => each)
    judge.require(new Set(named).size === named.length, 'held-waits', say(`${named.join()} agreed, one of them twice`))
    const people = Math.max(1, agreeing.length)
    judge.require(people >= needed, 'held-waits', say(`${people} of ${needed} agreed`))
    if (event.effective !== undefined) this.input = event.effective
    if (this.hold?.cause === 'lost') this.reruns++
    this.at = 'ready'
    this.agreed = { fingerprint: event.fingerprint, people }
    this.#took(event, judge)
    // The last approver got `accepted`.
    const last = this.taken.at(-1)
    if (last && needed > 1) last.told = true
  }

  #settle(
    event: Extract<CallEvent, { type: 'call.settled' }>,
    judge: Judge,
    now: number,
    say: (what: string) => () => string,
  ): void {
    const { outcome, resolution } = event
    const pending = this.hold?.async === true && this.at === 'held' && outcome.ok && resolution === undefined
    const ended = !outcome.ok && (outcome.error.code === 'cancelled' || outcome.error.code === 'superseded')
    if (this.at === 'held' && resolution === undefined && !pending && !ended)
      judge.require(this.#due(now, outcome), 'expiry-in-time', say('expired early'))
    this.outcome = { seq: event.seq, value: outcome, answered: resolution !== undefined }
    this.open = pending
    this.#took(event, judge)
    this.at = 'settled'
  }

  #due(now: number, outcome?: CallOutcome): boolean {
    if (!this.hold) return false
    const absent = outcome?.ok === false && outcome.error.code === 'no-client'
    return now >= (absent ? this.lookAt : this.hold.expiresAt)
  }

  #took(
    { seq, resolution, by, at }: { seq: number; resolution?: Resolution; by?: string; at: number },
    judge: Judge,
  ): void {
    if (!resolution) return
    const kind = this.hold?.kind
    judge.require(
      kind !== undefined && mayAnswer(by, kind),
      'only-who-may',
      () => `call ${this.callId} (${this.tool}), event ${seq}: ${by} answered a hold of kind ${kind}`,
    )
    const deciding = this.hold && { hold: this.hold, at }
    this.taken.push({ nth: this.nth, by, seq, resolution, told: false, deciding })
  }
}
