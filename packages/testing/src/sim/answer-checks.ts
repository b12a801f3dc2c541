/** Checks that the verdicts that callers get agree with the log. */
import { canonical, type Hold, type Principal, type Resolution, type ResolveResult } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import type { CallRecord, Taken } from './call-record.ts'
import { mayDecide } from './may-decide.ts'
import { mayAnswer } from './programs.ts'
import type { Mishaps } from './mishaps.ts'
import type { SimNode } from './node.ts'
import type { RuleChecks } from './rule-checks.ts'
import type { Scheduler } from './scheduler.ts'
import type { Truth } from './truth.ts'
import type { Judge } from './violation.ts'
import type { World } from './world.ts'

export interface Given {
  readonly conversation: string
  readonly callId: string
  readonly resolution: Resolution
  readonly by: string | undefined
  /** As authentication reported the caller when it asked. */
  readonly principal?: Principal | undefined
  /** Which hold was named, if any. */
  readonly hold: number | undefined
}

export class AnswerChecks {
  readonly #truth: Truth
  readonly #judge: Judge
  readonly #scheduler: Scheduler
  readonly #rules: Pick<RuleChecks, 'mayDeny'>
  readonly #mishaps: Mishaps

  constructor(
    { truth, judge, scheduler, mishaps }: Pick<World, 'truth' | 'judge' | 'scheduler' | 'mishaps'>,
    rules: Pick<RuleChecks, 'mayDeny'>,
  ) {
    this.#mishaps = mishaps
    this.#rules = rules
    this.#truth = truth
    this.#judge = judge
    this.#scheduler = scheduler
  }

  /** Called when a node receives an answer. */
  begins(given: Given, node: SimNode): (answer: ResolveResult) => void {
    const { losses } = this.#truth
    const before = this.#truth.conversations.get(given.conversation)?.calls.get(given.callId)
    const waitedFor = before?.waits ? before.nth : undefined
    // One of several approvers agrees to each hold again.
    const asked = given.hold === undefined && given.resolution.kind !== 'approve'
    const saidBefore = asked && before?.taken.some((taken) => carries(taken, given)) === true
    return (answer) => {
      if (losses !== this.#truth.losses || this.#mishaps.isApart(node)) return
      const spent = saidBefore && answer.verdict === 'accepted'
      this.#judge.require(
        !spent,
        'said-once',
        () => `${canonical(given.resolution)} was accepted for ${given.callId} before`,
      )
      this.#told(given, answer, waitedFor)
    }
  }

  #told(given: Given, { verdict }: ResolveResult, waitedFor: number | undefined): void {
    const { callId, resolution, by } = given
    const call = this.#truth.conversations.get(given.conversation)?.calls.get(callId)
    const say = (what: string) => (): string =>
      `${by ?? 'a caller'} was told ${verdict} for ${canonical(resolution)} on ${callId} (${call?.tool}): ${what}`
    if (verdict === 'accepted') return this.#accepted(call, given, say)
    // A rule that denies a call binds its approvers too.
    if (verdict === 'not-allowed' && resolution.kind === 'approve' && call)
      if (this.#rules.mayDeny(call.tool, resolution.input ?? call.input)) return
    const fair = this.#wronglyRefused(call, given, waitedFor, verdict)
    this.#judge.require(fair, 'verdict-true', say('it was open all the time, and accepts such answers'))
    const evidence = call
      ? evidenceFor(verdict, call, given, this.#scheduler.now)
      : verdict === 'unknown' || verdict === 'invalid'
    this.#judge.require(evidence, 'verdict-true', say('the log says otherwise'))
    if (verdict === 'duplicate') this.#isKept(call, given)
    const unknown = verdict === 'unknown' && waitedFor !== undefined && given.hold === undefined
    this.#judge.require(!unknown, 'verdict-true', say('it was waiting'))
  }

  #accepted(call: CallRecord | undefined, given: Given, say: (what: string) => () => string): void {
    const { hold } = given
    const found = call?.taken.filter((taken) => carries(taken, given) && (hold ?? taken.nth) === taken.nth) ?? []
    if (!this.#judge.require(found.length > 0, 'answer-kept', say('the log does not have it'))) return
    const free = found.find(({ told }) => !told)
    this.#judge.require(free !== undefined, 'one-accepted', say('another caller also got "accepted"'))
    if (free) free.told = true
    const { deciding } = found.at(-1) ?? {}
    const may = !deciding || this.#may(given, deciding.hold, deciding.hold.to, deciding.at)
    this.#judge.require(may, 'only-who-may', say(`it is for ${deciding?.hold.to?.join(' or ')}`))
  }

  /** The caller relies on the answer that the log has already. */
  #isKept(call: CallRecord | undefined, given: Given): void {
    const kept = call?.taken.find((each) => carries({ ...each, by: given.by }, given))
    if (kept) this.#mishaps.acknowledged(given.conversation, kept.seq)
  }

  #may(given: Given, hold: Hold, to: Hold['to'], at: number): boolean {
    const { principal, resolution } = given
    if (principal) return mayDecide(hold, to, principal, at, resolution.kind === 'approve')
    return given.by !== undefined || to === undefined
  }

  /** Whether the verdict is wrong: the hold was open all the time and accepts this kind of answer. */
  #wronglyRefused(call: CallRecord | undefined, given: Given, waitedFor: number | undefined, verdict: string): boolean {
    if (!call?.hold || !call.waits || call.nth !== waitedFor || given.hold !== undefined) return true
    if (!call.hold.accepts.includes(given.resolution.kind)) return true
    if (verdict === 'expired') return this.#scheduler.now >= call.hold.expiresAt
    // While the answer is on its way, the hold may escalate and a delegation may end.
    if (verdict === 'not-allowed')
      return !mayAnswer(given.by, call.hold.kind) || !this.#may(given, call.hold, call.madeFor, this.#scheduler.now)
    return verdict === 'duplicate' || verdict === 'invalid'
  }

  /** Checks the pending list of a node: it has no hold that was never open, and every hold that was open all the time. */
  pendingBegins(node: SimNode): (items: readonly PendingHold[]) => void {
    const start = this.#scheduler.steps
    const { losses } = this.#truth
    return (items) => {
      if (losses !== this.#truth.losses || this.#mishaps.isApart(node)) return
      const told = new Set(items.map(({ callId }) => callId))
      for (const { id, calls } of this.#truth.conversations.values()) {
        for (const call of calls.values()) {
          const throughout = call.waits && call.opened < start
          const ever = call.waits || (call.nth > 0 && call.closed >= start)
          const say = (): string =>
            `${id}: ${call.callId} (${call.tool}) ${told.has(call.callId) ? 'is' : 'is not'} told`
          this.#judge.require(told.has(call.callId) ? ever : !throughout, 'pending-is-open', say)
          told.delete(call.callId)
        }
      }
      this.#judge.require(told.size === 0, 'pending-is-open', () => `no call ${[...told].join()} was ever made`)
    }
  }
}

function carries({ resolution, by }: Taken, given: Given): boolean {
  if (by !== given.by) return false
  if (resolution === undefined) return given.resolution.kind === 'approve'
  return same(resolution, given.resolution)
}

/** An edit that changes nothing is a plain approval. */
function same(a: Resolution, b: Resolution): boolean {
  if (a.kind === 'approve' && b.kind === 'approve' && a.input === undefined) return true
  return canonical(a) === canonical(b)
}

function evidenceFor(verdict: ResolveResult['verdict'], call: CallRecord, given: Given, now: number): boolean {
  const { taken, outcome, hold } = call
  const code = outcome && !outcome.value.ok ? outcome.value.error.code : undefined
  switch (verdict) {
    case 'duplicate':
      return taken.some((each) => carries({ ...each, by: given.by }, given))
    case 'conflict':
      return taken.some(({ resolution }) => resolution !== undefined)
    case 'expired':
      return (
        (call.waits && hold !== undefined && now >= hold.expiresAt) ||
        (outcome !== undefined && !outcome.answered && hold !== undefined) ||
        call.resumptions > 0
      )
    case 'stale':
      return code === 'cancelled' || code === 'superseded'
    case 'not-allowed':
      return call.heldFor || [...call.kinds].some((kind) => !mayAnswer(given.by, kind))
    case 'accepted':
    case 'unknown':
    case 'invalid':
    case 'wrong-kind':
      return true
  }
}
