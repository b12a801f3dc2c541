/**
 * A random walk over the machine: outsiders send, answer, cancel and wait; the work `next` asks for is done with random
 * results. Every choice is a number from the list, so a failing walk shrinks to a short one.
 */
import {
  decideCancel,
  decideExpire,
  decideFire,
  decideQueued,
  decideResolve,
  decideSend,
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
} from '../../src/index.ts'
import type { Notice } from '../../src/log/notice.ts'
import type { Placed } from '../../src/log/log-event.ts'
import { userMessage } from '../../src/log/message.ts'
import { decideInbox, findCall, type Decision, type TurnPlan } from '../../src/turn/decide.ts'
import { openHolds } from '../../src/loop/result.ts'
import { isDeadline } from '../../src/turn/turn-state.ts'
import { callIn } from '../../src/turn/call.ts'

export interface Told {
  readonly callId: string
  readonly resolution: Resolution
  readonly by: string | undefined
  readonly verdict: Verdict
  readonly seqBefore: number
  readonly seqAfter: number
}

/** A cron line of a number: due whenever the time is a multiple of it. */
const everySo: NextTime = (line, _zone, after) => (Math.floor(after / Number(line)) + 1) * Number(line)

export class Walk {
  state: Conversation = emptyConversation
  readonly log: LogEvent[] = []
  /** What was appended together. */
  readonly writes: (readonly EventBody[])[] = []
  readonly told: Told[] = []
  readonly callIds: string[] = []
  /** What other logs were told, in order. */
  readonly heard: Notice[] = []
  now = 1000
  #turns = 0
  #events = 0
  #choices: readonly number[]
  /** Whether it is the log of an autonomous agent, with plans, places and skipped turns. */
  readonly #lives: boolean
  /** Whether each turn is about everything that waits. */
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
    // Outsiders answer more than they interrupt, or no turn would live long enough to be interesting.
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

  /** Does all the work there is, with results that come to an end; holds stay. */
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

  /** Something for the inbox. */
  #happen(): void {
    const id = `trigger:${++this.#events}`
    const event = { type: 'trigger', name: 'it', data: null } as const
    this.#take(decideInbox(this.state, 'walker', { kind: 'event', id, at: this.now, event }))
  }

  /** As `makePlan` makes them: due later than now. */
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
    const seqBefore = this.state.seq
    const edited =
      resolution.kind === 'approve' && resolution.input !== undefined
        ? { edited: { effective: { edited: true }, inputHash: 'edited', approvers: 1 } }
        : {}
    const call = await this.find(callId)
    const named = this.#pick([undefined, call?.holds, 1])
    const hold = named === undefined ? {} : { hold: named }
    const { verdict, events } = decideResolve(call, { callId, resolution, by, now: this.now, ...edited, ...hold })
    this.append(events)
    this.told.push({ callId, resolution, by, verdict, seqBefore, seqAfter: this.state.seq })
  }

  /** As the loop finds it: from the state, or rebuilt from the log. */
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
        return this.#take(decideFire(this.state, effect.planId, this.now, everySo))
      case 'deliver':
        this.heard.push(...effect.notices)
        return this.append([{ type: 'notices.told', count: effect.notices.length }])
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
    const placed = count > 0 && this.#lives ? this.#placed(parts) : undefined
    const replied: EventBody = { type: 'model.replied', turnId, step, reply, ...(placed && { placed }) }
    return [replied, ...parts.flatMap(({ callId }) => this.#disposition(callId))]
  }

  /** Where the agent is after the reply, and which of its calls are shown there. */
  #placed(parts: readonly CallPart[]): Placed | undefined {
    const space = this.#pick([this.state.place, undefined, 'here', 'there'])
    const within = this.#pick([space, this.state.place])
    const calls = within === undefined ? [] : parts.map(({ callId }) => this.#inPlace(callId, within))
    return { calls, ...(space !== undefined && { space }) }
  }

  #inPlace(callId: string, space: string): Placed['calls'][number] {
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

  /** As the loop writes it: the authors of the turn that is going on. */
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

  /** A definition that is not the one that was judged is judged again, also between a question and the run after it. */
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
