/** Checks the calls and agents that spaces show against the agents' own logs. */
import { canonical, agentLogId, type LogEvent } from '@holdpoint/core'
import type { CallRecord } from './call-record.ts'
import type { ConversationRecord } from './conversation-record.ts'
import type { Truth } from './truth.ts'
import type { Judge } from './violation.ts'

type Ended = Extract<LogEvent, { type: 'tool.done' | 'tool.error' }>

interface Shown {
  readonly agent: string
  readonly space: string
  started: number
  readonly ends: Ended[]
}

export class ShownCallChecks {
  readonly #truth: Truth
  readonly #judge: Judge
  readonly #calls = new Map<string, Shown>()
  /** By space: agents that were not members all the time. */
  readonly #away = new Map<string, Set<string>>()

  constructor(truth: Truth, judge: Judge) {
    this.#truth = truth
    this.#judge = judge
  }

  follow({ id }: ConversationRecord, events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.type === 'tool.started') this.#started(id, event)
      if (event.type === 'tool.changed') this.#changed(id, event)
      if (event.type === 'tool.done' || event.type === 'tool.error') this.#ended(id, event)
      if ((event.type === 'member.left' || event.type === 'member.joined') && event.seq > 1) this.#moved(id, event)
    }
  }

  /** An agent that joins when the space is created was a member from the beginning. */
  #moved(id: string, { type, member, seq }: Extract<LogEvent, { type: 'member.left' | 'member.joined' }>): void {
    const events = this.#truth.conversations.get(id)?.events ?? []
    const first = type === 'member.joined' && events.slice(0, seq).every((event) => opens(event))
    if (member.kind !== 'agent' || first) return
    this.#away.set(id, (this.#away.get(id) ?? new Set()).add(member.id))
  }

  #started(space: string, { agent, toolCallId }: Extract<LogEvent, { type: 'tool.started' }>): void {
    const shown = this.#shown(space, agent, toolCallId)
    this.#judge.require(++shown.started === 1, 'shown-true', () => `${space}: ${toolCallId} began twice`)
    const call = this.#callOf(agent, toolCallId)
    this.#judge.require(call !== undefined, 'shown-true', () => `${space}: no call ${toolCallId} was ever made`)
  }

  #changed(space: string, { agent, toolCallId }: Extract<LogEvent, { type: 'tool.changed' }>): void {
    const { ends } = this.#shown(space, agent, toolCallId)
    this.#judge.require(ends.length === 0, 'shown-true', () => `${space}: ${toolCallId} changed after it had ended`)
  }

  #ended(space: string, event: Ended): void {
    const { agent, toolCallId } = event
    const shown = this.#shown(space, agent, toolCallId)
    const [before] = shown.ends
    // If late answers are allowed, one may come after the expiry.
    const late = before?.type === 'tool.error' && before.error.code === 'expired'
    const once = shown.ends.length === 0 || (shown.ends.length === 1 && late)
    this.#judge.require(once, 'shown-true', () => `${space}: ${toolCallId} ended again (${event.type})`)
    shown.ends.push(event)
  }

  /** When everything is idle, each shown call has the state that the agent's log has. */
  checkAtRest(): void {
    for (const [callId, shown] of this.#calls) this.#checkCall(callId, shown)
    for (const record of this.#truth.conversations.values()) {
      this.#checkPresence(record)
      this.#checkAllShown(record)
    }
  }

  #checkCall(callId: string, { agent, space, ends, started }: Shown): void {
    const call = this.#callOf(agent, callId)
    const say = (what: string) => (): string => `${space}: ${callId} (${call?.tool}) ${what}`
    const last = ends.at(-1)
    const over = call?.at === 'settled' && !call.open
    this.#judge.require(started === 0 || over === (last !== undefined), 'shown-true', say(`ended: ${last?.type}`))
    const outcome = call?.outcome?.value
    const pending = call?.hold?.async === true
    if (!last || !outcome || pending || call?.arrived) return
    const same =
      last.type === 'tool.done'
        ? outcome.ok && canonical(outcome.value) === canonical(last.output)
        : !outcome.ok && outcome.error.code === last.error.code
    this.#judge.require(
      same,
      'shown-true',
      say(`shows ${JSON.stringify(last)}, but its outcome is ${JSON.stringify(outcome)}`),
    )
  }

  /** An idle agent is not active; an agent at work in a space that it never left is active there. */
  #checkPresence({ id, space: state }: ConversationRecord): void {
    const space = state?.space
    if (!space) return
    for (const agent of space.active) {
      const current = this.#truth.conversations.get(agentLogId(agent))?.state.space
      this.#judge.require(current === id, 'presence-true', () => `${agent} is active in ${id}, but is in ${current}`)
    }
    for (const { member } of space.members.values()) {
      const current = member.kind === 'agent' && this.#truth.conversations.get(agentLogId(member.id))?.state.space
      const known = current !== id || space.active.has(member.id) || this.#away.get(id)?.has(member.id) === true
      this.#judge.require(known, 'presence-true', () => `${member.id} is in ${id}, but not active there`)
    }
  }

  /** Every visible call is shown, for agents that were members all the time. */
  #checkAllShown({ id, events, calls }: ConversationRecord): void {
    const agent = id.startsWith('agent:') ? id.slice('agent:'.length) : undefined
    if (agent === undefined) return
    for (const { callId, space, shown } of events.flatMap((event) =>
      event.type === 'model.replied' ? (event.spaces?.calls ?? []) : [],
    )) {
      if (shown !== true || this.#away.get(space)?.has(agent) || calls.get(callId)?.at === 'ready') continue
      const there = this.#calls.get(callId)?.started === 1
      this.#judge.require(there, 'shown-true', () => `${callId} (${calls.get(callId)?.tool}) is not shown in ${space}`)
    }
  }

  #callOf(agent: string, callId: string): CallRecord | undefined {
    return this.#truth.conversations.get(agentLogId(agent))?.calls.get(callId)
  }

  #shown(space: string, agent: string, callId: string): Shown {
    const shown = this.#calls.get(callId) ?? { agent, space, started: 0, ends: [] }
    this.#calls.set(callId, shown)
    return shown
  }
}

function opens({ type }: LogEvent): boolean {
  return type === 'space.opened' || type === 'member.joined'
}
