/** One conversation according to its log, followed event by event, with the rows stored beside the log. */
import {
  canonical,
  emptyConversation,
  evolve,
  firedItems,
  isSpaceEvent,
  next,
  type Append,
  type Conversation,
  type HoldRow,
  type Inbound,
  type Json,
  type LogEvent,
} from '@holdpoint/core'
import { spaceMachine, type SpaceState } from '@holdpoint/spaces'
import { CallRecord } from './call-record.ts'
import { ParticipantsRecord } from './participants-record.ts'
import type { Judge } from './violation.ts'

/** The row of a space has this instead of an agent's name. */
const SPACE = 'holdpoint.space'

/** A step that needs a model call. */
export interface Step {
  readonly turnId: string
  readonly step: number
  /** The seq that began the step, and the seq that ended it. */
  readonly seq: number
  until: number
  /** How often the model was called, and how often a repeated call was justified. */
  asked: number
  excused: number
}

export class ConversationRecord {
  readonly id: string
  readonly events: LogEvent[] = []
  state: Conversation = emptyConversation
  /** Set when the log is a space's. */
  space: SpaceState | undefined
  readonly calls: Map<string, CallRecord> = new Map()
  /** Calls of the round without an outcome. */
  readonly unsettled: Set<string> = new Set()
  readonly rows: Map<string, HoldRow> = new Map()
  /** The step that is due now. */
  step: Step | undefined
  /** Every call of the conversation. */
  readonly steps: Step[] = []
  /** The first seq after the owner changed. */
  handedOverAt = 0
  readonly #participants = new ParticipantsRecord()
  #tally = 0
  /** The store was restored, and no message or answer came since. */
  #restored = false
  /** The queued messages, computed from the log only. */
  #queue: Inbound[] = []

  constructor(id: string) {
    this.id = id
  }

  /** Reads new events. `now` is the store's time, `step` the step of the simulation. */
  follow(written: readonly LogEvent[], judge: Judge, now: number, step: number): void {
    for (const event of written) {
      const gapless = event.seq === this.events.length + 1
      if (!judge.require(gapless, 'log-gapless', () => `${this.id}: ${event.seq} after ${this.events.length}`)) return
      this.events.push(event)
      if (event.type === 'conversation.restored') this.#restore(event.at)
      else if (goesOn(event)) this.#restored = false
      this.#followTurn(event, judge)
      this.#participants.follow(event, this.id, judge)
      if ('callId' in event) {
        const call = this.calls.get(event.callId)
        if (!judge.require(call !== undefined, 'log-possible', () => `${event.type} for a call that was never made`))
          return
        call?.follow(event, judge, now, step)
        if (event.type === 'call.settled') this.unsettled.delete(event.callId)
      }
      try {
        if (this.space || (event.seq === 1 && isSpaceEvent(event)))
          this.space = spaceMachine.evolve(this.space ?? spaceMachine.empty, event)
        else this.state = evolve(this.state, event)
      } catch (error) {
        judge.require(false, 'log-possible', () => `${this.id}: ${String(error)}`)
        return
      }
      this.#followStep(event)
    }
  }

  #restore(at: number): void {
    this.#restored = true
    for (const call of this.calls.values()) call.restored(at)
  }

  #followTurn(event: LogEvent, judge: Judge): void {
    const settled = (): boolean => this.unsettled.size === 0
    switch (event.type) {
      case 'model.replied':
        judge.require(settled(), 'model-waits', () => `${this.id}: a reply while ${[...this.unsettled].join()} is open`)
        for (const part of event.reply.parts) {
          if (part.type !== 'call') continue
          judge.require(!this.calls.has(part.callId), 'log-possible', () => `call ${part.callId} was made twice`)
          this.calls.set(part.callId, new CallRecord(part, event.seq))
          this.unsettled.add(part.callId)
        }
        return
      case 'turn.started': {
        judge.require(settled(), 'log-possible', () => `${this.id}: a turn began with calls open`)
        const taken = this.#queue.splice(0, event.queued ?? 0)
        const same =
          canonical(taken as unknown as Json) === canonical(event.items.slice(0, taken.length) as unknown as Json)
        judge.require(
          same && taken.length === (event.queued ?? 0),
          'queue-kept',
          () => `${this.id}: event ${event.seq}`,
        )
        return
      }
      case 'turn.ended':
        judge.require(settled(), 'one-outcome', () => `${this.id}: a turn ended with calls open`)
        return
      case 'message.queued':
        this.#queue.push(event.item)
        return
      case 'answer.arrived': {
        const { callId, name, outcome, askedBy } = event
        this.#queue.push({ kind: 'answer', callId, name, outcome, ...(askedBy && { askedBy }) })
        return
      }
      case 'plan.fired':
        this.#queue.push(...firedItems(event))
        return
      case 'conversation.opened':
      case 'conversation.erased':
      case 'conversation.restored':
      case 'conversation.forked':
      case 'participants.changed':
      case 'hold.reminded':
      case 'hold.escalated':
      case 'hold.assigned':
      case 'hold.commented':
      case 'plan.set':
      case 'plan.removed':
      case 'notices.delivered':
      case 'space.opened':
      case 'space.erased':
      case 'member.joined':
      case 'member.left':
      case 'message.posted':
      case 'messages.read':
      case 'agent.activated':
      case 'agent.rested':
      case 'tool.started':
      case 'tool.changed':
      case 'tool.done':
      case 'tool.error':
      case 'message.changed':
      case 'call.rewritten':
      case 'call.held':
      case 'call.resumed':
      case 'call.endorsed':
      case 'call.approved':
      case 'call.judged':
      case 'call.cleared':
      case 'call.started':
      case 'call.settled':
        return
      case 'state.changed':
        if (event.plugin === 'tally')
          judge.require(event.value === ++this.#tally, 'state-kept', () => `${this.id}: ${JSON.stringify(event)}`)
    }
  }

  /** The step that needs a model call now, if any. */
  #followStep({ seq }: LogEvent): void {
    const { turn } = this.state
    if (turn.phase === 'model' && this.step?.turnId === turn.turnId && this.step.step === turn.step) return
    if (this.step) this.step.until = seq
    this.step =
      turn.phase === 'model'
        ? { turnId: turn.turnId, step: turn.step, seq, until: Infinity, asked: 0, excused: 0 }
        : undefined
    if (this.step) this.steps.push(this.step)
  }

  /** Work that needs no answer from outside. */
  get hasWork(): boolean {
    const { turn } = this.state
    return this.#works || (turn.phase === 'rest' && this.#queue.length > 0 && !this.#restored)
  }

  get #works(): boolean {
    if (this.space) return this.space.outbox.length > 0
    return next(this.state).some((effect) => effect.do !== 'expire-hold' && effect.do !== 'fire-plan')
  }

  /** The store was restored, and nothing goes on by itself. */
  get restored(): boolean {
    return this.#restored
  }

  get held(): CallRecord[] {
    return [...this.calls.values()].filter((call) => call.waits)
  }

  /** The earliest time at which a process has to look. */
  get deadlines(): number[] {
    const plans = this.#restored ? [] : Array.from(this.state.plans.values(), ({ nextAt }) => nextAt)
    return [...this.held.map(({ lookAt }) => lookAt), ...plans]
  }

  /** Compares the rows that the writer stored beside the log with the log. */
  checkRows({ rows }: Append, judge: Judge): void {
    for (const row of rows.holds) this.rows.set(row.callId, row)
    const { held, deadlines } = this
    const status = this.#works ? 'running' : this.state.turn.phase === 'calls' ? 'held' : 'idle'
    const wakeAt = deadlines.length > 0 ? Math.min(...deadlines) : undefined
    const is = [rows.status, rows.wakeAt, rows.agent, openRows(this.rows.values())].join(' ')
    const agent = this.space ? SPACE : this.state.agent
    const should = [status, wakeAt, agent, held.map(({ callId }) => callId).toSorted()].join(' ')
    judge.require(is === should, 'rows-are-the-fold', () => `${this.id} at ${this.events.length}: ${is}, not ${should}`)
    if (rows.base !== undefined) this.#checkBase(rows.base, judge)
  }

  #checkBase(base: Json, judge: Judge): void {
    if (this.space) return this.#checkSpaceBase(this.space, base, judge)
    const { agent, people, turn, queue, shown, waiting, plugins, plans, outbox } = this.state
    const last = turn.phase === 'rest' ? turn.last : undefined
    const should = {
      agent,
      ...((people.owner !== undefined || people.participants.length > 0) && { people }),
      ...(last && { last }),
      ...(queue.length > 0 && { queue: queue.map(({ item }) => item), queuedAt: queue.map(({ seq }) => seq) }),
      ...(shown && { shown }),
      ...(waiting.size > 0 && { waiting: [...waiting.values()] }),
      ...(Object.keys(plugins).length > 0 && { plugins }),
      ...(plans.size > 0 && { plans: [...plans.values()] }),
      ...(outbox.length > 0 && { outbox }),
      ...(this.#restored && { restored: true }),
      ...(this.state.tellsNews && { tellsNews: true }),
    }
    const same = turn.phase === 'rest' && canonical(base) === canonical(should as unknown as Json)
    judge.require(same, 'base-is-the-fold', () => `${this.id} at ${this.events.length}`)
  }

  #checkSpaceBase({ space, outbox }: SpaceState, base: Json, judge: Judge): void {
    const should = {
      ...(space && { space: { ...space, members: [...space.members.values()], active: [...space.active] } }),
      ...(outbox.length > 0 && { outbox }),
    }
    const same = canonical(base) === canonical(should as unknown as Json)
    judge.require(same, 'base-is-the-fold', () => `${this.id} at ${this.events.length}`)
  }
}

/** Whether a message or an answer came. */
function goesOn(event: LogEvent): boolean {
  if (event.type === 'turn.started' || event.type === 'message.queued') return true
  return 'resolution' in event && event.resolution !== undefined
}

function openRows(rows: Iterable<HoldRow>): string[] {
  return [...rows].flatMap(({ open, callId }) => (open ? [callId] : [])).toSorted()
}
