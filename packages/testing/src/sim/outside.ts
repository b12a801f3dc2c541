/**
 * The world that tools act on. It survives every process and records every effect. When a call starts, and when its effect happens,
 * it checks with the log whether that is allowed.
 */
import { canonical, type Json, type Resumption } from '@holdpoint/core'
import type { CallRecord } from './call-record.ts'
import type { SimNode } from './node.ts'
import { toolFacts } from './tools.ts'
import type { RestoredChecks } from './restored-checks.ts'
import type { Truth } from './truth.ts'
import type { Judge } from './violation.ts'

export interface Begun {
  readonly callId: string
  readonly tool: string
  readonly attempt: number
  readonly input: Json
  readonly fingerprint: string
  readonly conversation: string
  readonly resumed: Resumption | undefined
}

export class Outside {
  readonly #truth: Truth
  readonly #judge: Judge
  /** By call: the attempts that started. */
  readonly #begun = new Map<string, Begun[]>()
  readonly #effects = new Map<string, number>()
  /** How often the tool's `verify` found that nothing had happened. */
  readonly #foundNothing = new Map<string, number>()

  #restored: RestoredChecks | undefined

  constructor(truth: Truth, judge: Judge) {
    this.#truth = truth
    this.#judge = judge
  }

  /** A tool's handler starts. */
  begin(begun: Begun, node: SimNode): void {
    const { callId, tool, attempt, conversation } = begun
    const record = this.#truth.conversations.get(conversation)
    const call = record?.calls.get(callId)
    const say = (what: string) => (): string => `${callId} (${tool}, attempt ${attempt}) on ${node.name}: ${what}`
    const before = this.#begun.get(callId) ?? []
    this.#begun.set(callId, [...before, begun])
    // A process that does not know yet that the store lost its start.
    if (this.#judge.afterLoss && !this.#truth.startedSince.has(`${callId} ${attempt} ${node.id}`)) return
    if (!call || !record) {
      this.#judge.require(false, 'started-first', say('the log has no such call'))
      return
    }
    this.#judge.require(call.starts === attempt, 'started-first', say(`the log has ${call.starts} starts`))
    const again = before.some((each) => each.attempt === attempt)
    this.#judge.require(!again, 'started-first', say('began twice after one start event'))
    const knew = call.outcome !== undefined && call.outcome.seq <= node.knows(conversation)
    this.#judge.require(!knew, 'never-after-outcome', say('it has an outcome already'))
    this.#judge.require(this.#truth.hasLease(node.id), 'lease-over', say('the lease is over'))
    this.#checkInput(begun, call, say)
    this.#checkResumed(begun, call, say)
    this.#checkAgain(begun, call, say)
  }

  #checkInput(begun: Begun, call: CallRecord, say: (what: string) => () => string): void {
    const { tool, input, fingerprint } = begun
    const same = canonical(input) === canonical(call.input)
    const kind = call.agreed ? 'runs-what-was-approved' : 'same-call'
    this.#judge.require(same, kind, say(`runs ${canonical(input)}, not ${canonical(call.input)}`))
    const asAgreed = !call.agreed || call.agreed.fingerprint === fingerprint
    this.#judge.require(asAgreed, 'runs-what-was-approved', say('another definition was approved'))
    const needed = toolFacts(tool).approvers(input)
    const people = call.agreed?.people ?? 0
    const relaxed = call.agreed?.byRule?.effect === 'allow' && toolFacts(tool).rulesMayRelax
    this.#judge.require(people >= needed || relaxed, 'held-waits', say(`${people} of ${needed} people agreed`))
  }

  #checkResumed({ resumed }: Begun, { goesOnWith }: CallRecord, say: (what: string) => () => string): void {
    const [is, should] = [resumed, goesOnWith].map((each) => each && [each.state ?? null, each.answer ?? null])
    const same = canonical(is ?? null) === canonical(should ?? null)
    this.#judge.require(same, 'goes-on-with-the-answer', say(`${JSON.stringify(is)}, not ${JSON.stringify(should)}`))
  }

  #checkAgain(
    { callId, tool, conversation }: Begun,
    { reruns, resumptions }: CallRecord,
    say: (what: string) => () => string,
  ): void {
    const times = this.#begun.get(callId)?.length ?? 0
    const { onLost } = toolFacts(tool)
    if (onLost === 'retry') return
    const record = this.#truth.conversations.get(conversation)
    const foundNothing = this.#foundNothing.get(callId) ?? 0
    const may = record && this.#restored?.mayBegin(callId, record, times, foundNothing)
    this.#judge.require(may !== false, 'restored-asks', say('began again after the restore, and no person said so'))
    const allowed = 1 + reruns + resumptions + (this.#foundNothing.get(callId) ?? 0)
    this.#judge.require(times <= allowed, 'at-most-once', say(`began ${times} times, but only ${allowed} are allowed`))
  }

  /** The store was restored from a backup. */
  restored(checks: RestoredChecks): void {
    this.#restored = checks
    for (const [callId, begun] of this.#begun) checks.began(callId, begun.length, this.#foundNothing.get(callId) ?? 0)
  }

  /** An effect happens. */
  effect(callId: string): void {
    this.#effects.set(callId, (this.#effects.get(callId) ?? 0) + 1)
  }

  /** What a tool's `verify` sees. */
  happened(callId: string): boolean {
    const happened = this.#effects.has(callId)
    if (!happened) this.#foundNothing.set(callId, (this.#foundNothing.get(callId) ?? 0) + 1)
    return happened
  }
}
