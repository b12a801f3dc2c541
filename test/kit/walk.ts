/**
 * A random walk over the turn machine: callers send, answer, cancel and wait, and the effects of `next` are performed with
 * random results. Every choice is a number from the list, so a failing walk shrinks to a short one.
 */
import {
  emptyConversation,
  evolve,
  next,
  type Call,
  type CallOutcome,
  type CallPart,
  type Conversation,
  type Effect,
  type EventBody,
  type Hold,
  type Json,
  type LogEvent,
  type NextTime,
  type Resolution,
  type Verdict,
} from '@holdpoint/core'
import { decideResolve } from '@holdpoint/core/internal/turn/resolve'
import { decideExpire } from '@holdpoint/core/internal/turn/expire-hold'
import { decidePlanFire } from '@holdpoint/core/internal/turn/decide-plan-fire'
import { decideCancel, decideQueued, decideSend } from '@holdpoint/core/internal/turn/decide'
import type { Notice } from '@holdpoint/core/internal/log/notice'
import type { ReplySpaces } from '@holdpoint/core/internal/log/log-event'
import { principalOf } from '@holdpoint/core/internal/principal'
import { userMessage } from '@holdpoint/core/internal/log/message'
import { decideInbox, type TurnPlan } from '@holdpoint/core/internal/turn/decide'
import { findCall } from '@holdpoint/core/internal/turn/find-call'
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import { openHolds } from '@holdpoint/runtime/internal/session/result'
import { isDeadline } from '@holdpoint/core/internal/turn/turn-state'
import { callIn } from '@holdpoint/core/internal/turn/call'

export interface Told {
  readonly callId: string
  readonly resolution: Resolution
  readonly by: string | undefined
  readonly verdict: Verdict
  readonly seqBefore: number
  readonly seqAfter: number
}

/** A cron expression that is a number: due at each multiple of it. */
const everySo: NextTime = (line, _zone, after) => (Math.floor(after / Number(line)) + 1) * Number(line)

export class Walk {
  state: Conversation = emptyConversation
  readonly log: LogEvent[] = []
  /** The events of each append. */
  readonly writes: (readonly EventBody[])[] = []
  readonly told: Told[] = []
  readonly callIds: string[] = []
  /** The notices for other logs, in order. */
  readonly heard: Notice[] = []
  now = 1000
  #turns = 0
  #events = 0
  #choices: readonly number[]
  /** Whether it is the log of an autonomous agent, with plans, spaces and skipped turns. */
  readonly #lives: boolean
  /** Whether each turn handles the whole inbox. */
  readonly cycles: boolean
  #at = 0

  constructor(choices: readonly number[], { lives = true }: { readonly lives?: boolean } = {}) {
    this.#choices = choices
    this.#lives = lives
    this.cycles = lives && (choices[0] ?? 0) % 3 === 0
  }

  get over(): boolean {
    return this.#at >= this.#choices.length
  }

  async step(): Promise<void> {
    // Callers answer more often than they interrupt. Otherwise most turns would end too early.
    const moves = [
      ...Array.from({ length: 8 }, () => () => this.#perform()),
      ...Array.from({ length: 8 }, () => () => this.#resolve()),
      () => this.#send(),
      () => this.#wait(),
      ...(this.#lives ? [() => this.#live()] : []),
      () => this.#pick([() => this.#cancel(), () => this.#send(), () => this.#perform()])(),
    ]
    await this.#pick<() => void | Promise<void>>(moves)()
  }

  #live(): void {
    this.#pick([() => this.#happen(), () => this.#setPlan(), () => this.#setPlan(), () => this.#dropPlan()])()
  }

  /** Performs all effects with final results. Holds stay open. */
  finish(): number {
    let steps = 0
    for (; steps < 500; steps++) {
      const effect = next(this.state).find((each) => !isDeadline(each))
      if (!effect) break
      this.#do(effect, true)
    }
    return steps
  }

  append(events: readonly EventBody[]): void {
    if (events.length > 0) this.writes.push(events)
    for (const body of events) {
      const event: LogEvent = { ...body, seq: this.state.seq + 1, at: this.now }
      this.state = evolve(this.state, event)
      this.log.push(event)
    }
  }

  #take(decision: Decision): void {
    if (decision.ok) this.append(decision.events)
  }

  #send(): void {
    const hello = (by?: string) => ({ kind: 'message', message: userMessage('hello', by) }) as const
    const item = this.#pick([undefined, hello('ann'), undefined, hello('bob'), undefined, hello()])
    const whileBusy = this.#pick(['refuse', 'queue', 'refuse', 'queue', 'supersede'] as const)
    this.#take(decideSend(this.state, { item, plan: this.#plan(), whileBusy }))
  }

  /** A random item for the inbox. */
  #happen(): void {
    const id = `trigger:${++this.#events}`
    const event = { type: 'trigger', name: 'it', data: null } as const
    this.#take(decideInbox(this.state, 'walker', { kind: 'event', id, at: this.now, event }))
  }

  /** A plan in the future, as `makePlan` creates it. */
  #setPlan(): void {
    const id = this.#pick(['p', 'q'])
    const line = this.#pick(['7', '50', undefined])
    const missed = this.#pick(['once', 'all', 'none'] as const)
    const nextAt = line === undefined ? this.now + this.#pick([1, 30]) : (everySo(line, 'UTC', this.now) ?? 0)
    const cron = line === undefined ? {} : { cron: { line, timeZone: 'UTC' } }
    const opened: EventBody[] = this.state.seq === 0 ? [{ type: 'conversation.opened', agent: 'walker' }] : []
    this.append([...opened, { type: 'plan.set', plan: { id, what: 'it', missed, nextAt, ...cron, ...this.#asked() } }])
  }

  #dropPlan(): void {
    const planId = this.#pick([...this.state.plans.keys(), undefined])
    if (planId !== undefined) this.append([{ type: 'plan.removed', planId }])
  }

  #cancel(): void {
    this.#take(decideCancel(this.state))
  }

  #wait(): void {
    this.now += this.#pick([1, 10, 1000])
  }

  async #resolve(): Promise<void> {
    const held = openHolds(this.state).map((hold) => hold.callId)
    const callId = this.#pick([...held, ...held, ...held, ...held, ...this.callIds.slice(-8), 'unknown'])
    const resolution = this.#pick<Resolution>([
      { kind: 'approve' },
      { kind: 'approve' },
      { kind: 'approve', input: { edited: true } },
      { kind: 'reject' },
      { kind: 'reject', reason: 'no' },
      { kind: 'answer', value: 'yes' },
      { kind: 'answer', value: 'no' },
      { kind: 'answer', error: 'broken' },
    ])
    const by = this.#pick([undefined, 'ann', 'bob'])
    const command = { callId, resolution, by: principalOf(by), now: this.now }
    const seqBefore = this.state.seq
    const edited =
      resolution.kind === 'approve' && resolution.input !== undefined
        ? { edited: { effective: { edited: true }, inputHash: 'edited', rule: { approvers: 1 } } }
        : {}
    const call = await this.find(callId)
    const named = this.#pick([undefined, call?.holds, 1])
    const hold = named === undefined ? {} : { hold: named }
    const { verdict, events } = decideResolve(call, { ...command, ...edited, ...hold })
    this.append(events)
    this.told.push({ callId, resolution, by, verdict, seqBefore, seqAfter: this.state.seq })
  }

  /** The call as the loop reads it: from the state, or rebuilt from the log. */
  find(callId: string): Promise<Call | undefined> {
    return Promise.resolve(findCall(this.state, callId) ?? callIn(this.log, callId))
  }

  #perform(): void {
    const effects = next(this.state)
    if (effects.length > 0) this.#do(this.#pick(effects), false)
  }

  #do(effect: Effect, ending: boolean): void {
    switch (effect.do) {
      case 'start-turn':
        return this.#take(decideQueued(this.state, this.#plan()))
      case 'end-turn':
        return this.append([{ type: 'turn.ended', turnId: effect.turnId, reason: effect.reason }])
      case 'call-model':
        return this.append(this.#reply(effect.turn.turnId, effect.turn.step, ending))
      case 'start-call':
        return this.append([this.#start(effect.call, ending)])
      case 'run-call':
        return this.append(this.#outcome(effect.call, ending))
      case 'expire-hold':
        return this.#take(decideExpire(this.state, effect.callId, this.now))
      case 'fire-plan':
        return this.#take(decidePlanFire(this.state, effect.planId, this.now, everySo))
      case 'deliver':
        this.heard.push(...effect.notices)
        return this.append([{ type: 'notices.delivered', count: effect.notices.length }])
    }
  }

  #reply(turnId: string, step: number, ending: boolean): EventBody[] {
    const count = ending ? 0 : this.#pick([3, 2, 1, 0])
    const parts = Array.from({ length: count }, (_, i): CallPart => {
      const callId = `${turnId}.${step}.${i + 1}`
      this.callIds.push(callId)
      return { type: 'call', callId, vendorId: `v${i}`, name: 'tool', input: {} }
    })
    const usage = { inputTokens: 1, outputTokens: 1 }
    const reply = { parts, finish: 'stop', usage } as const
    const spaces = count > 0 && this.#lives ? this.#spaces(parts) : undefined
    const replied: EventBody = { type: 'model.replied', turnId, step, reply, ...(spaces && { spaces }) }
    return [replied, ...parts.flatMap(({ callId }) => this.#disposition(callId))]
  }

  /** The space of the agent after the reply, and its visible calls. */
  #spaces(parts: readonly CallPart[]): ReplySpaces | undefined {
    const space = this.#pick([this.state.space, undefined, 'here', 'there'])
    const within = this.#pick([space, this.state.space])
    const calls = within === undefined ? [] : parts.map(({ callId }) => this.#inSpace(callId, within))
    return { calls, ...(space !== undefined && { current: space }) }
  }

  #inSpace(callId: string, space: string): ReplySpaces['calls'][number] {
    return { callId, space, ...(this.#pick([true, false]) && { shown: true as const }) }
  }

  #disposition(callId: string): EventBody[] {
    const failed: CallOutcome = { ok: false, error: { code: 'invalid-input', message: 'bad' } }
    const second = { kind: 'client', cause: 'tool', timeoutMs: 50, onExpire: 'error', late: 'reject' } as const
    const held = (hold: Partial<Hold>): EventBody => ({ type: 'call.held', callId, hold: this.#hold(hold) })
    return this.#pick<() => EventBody[]>([
      () => [],
      () => [{ type: 'call.settled', callId, outcome: failed }],
      () => [{ type: 'call.cleared', callId, inputHash: 'hash', fingerprint: 'print' }],
      () => [held({})],
      () => [held({ approvers: 2 })],
      () => [held({ then: second })],
      () => [held({ then: { ...second, kind: 'external', async: true } })],
      () => [held({ kind: 'elicitation', accepts: ['answer', 'reject'], late: 'inbox' })],
      () => [
        held({
          kind: 'client',
          accepts: ['answer'],
          onExpire: this.#pick(['reject', 'cancel', { answer: 'default' }] as const),
        }),
      ],
      () => [
        held({ kind: 'external', accepts: ['answer'], async: true }),
        { type: 'call.settled', callId, outcome: { ok: true, value: { status: 'pending', toolCallId: callId } } },
      ],
    ])()
  }

  /** The authors of the current turn, as the loop writes them. */
  #asked(): Pick<Hold, 'askedBy'> {
    const { turn } = this.state
    return turn.phase === 'rest' ? {} : { askedBy: turn.askedBy }
  }

  #hold(given: Partial<Hold>): Hold {
    const bound = {
      input: {},
      inputHash: 'hash',
      fingerprint: 'print',
      approvers: 1,
      timeoutMs: 100,
      expiresAt: this.now + 100,
      ...this.#asked(),
    }
    return {
      kind: 'approval',
      cause: 'tool',
      accepts: ['approve', 'reject'],
      onExpire: 'error',
      late: 'reject',
      ...bound,
      ...given,
    }
  }

  /** A changed definition needs a new decision, even between a question and the run after it. */
  #start({ callId, attempt, approved }: Call, ending: boolean): EventBody {
    const changed = approved && !ending && this.#pick([false, false, false, true])
    if (changed) return { type: 'call.held', callId, hold: this.#hold({ cause: 'changed' }) }
    return { type: 'call.started', callId, attempt: attempt + 1 }
  }

  #outcome({ callId, attempt }: Call, ending: boolean): EventBody[] {
    const held = (hold: Partial<Hold>, state?: Json): EventBody => ({
      type: 'call.held',
      callId,
      hold: this.#hold(hold),
      ...(state !== undefined && { state }),
    })
    const question = { kind: 'elicitation', cause: 'asked', accepts: ['answer', 'reject'] } as const
    const look = {
      kind: 'external',
      cause: 'asked',
      accepts: ['answer'],
      timeoutMs: 5,
      expiresAt: this.now + 5,
    } as const
    const done: EventBody = { type: 'call.settled', callId, outcome: { ok: true, value: 1 } }
    if (ending) return [done]
    const { turn } = this.state
    const alone = this.#lives && turn.phase === 'calls' && turn.step === 1 && turn.calls.length === 1
    return this.#pick<EventBody[]>([
      [done],
      [alone ? { ...done, halt: { reason: 'skipped', message: 'nothing to do' } } : done],
      [alone ? { ...done, halt: { reason: 'skipped', message: 'nothing to do' } } : done],
      [alone ? { ...done, halt: { reason: 'skipped', message: 'nothing to do' } } : done],
      [{ ...done, halt: { reason: 'halted', message: 'enough' } }],
      [{ type: 'call.started', callId, attempt: attempt + 1 }],
      [held(question)],
      [held({ ...question, resumes: 'answer' }, { at: attempt })],
      [held({ ...question, resumes: 'answer', onExpire: 'cancel' })],
      [held({ ...look, resumes: 'deadline' }, { at: attempt })],
      [held({ cause: 'lost', accepts: ['approve', 'reject', 'answer'] })],
    ])
  }

  #plan(): TurnPlan {
    const cycle = this.cycles && { cycle: true as const }
    return { turnId: `t${++this.#turns}`, agent: 'walker', limits: { maxSteps: 3 }, ...cycle }
  }

  #pick<T>(options: readonly T[]): T {
    const choice = this.#choices[this.#at++] ?? 0
    return options[choice % options.length] as T
  }
}
