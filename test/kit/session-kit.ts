/** Shared by tests of the loop: agents with a scripted model in simulated processes, and checks of invariants. */
import { fold, type Address, type JsonObject } from '@holdpoint/core'
import {
  manualClock,
  scriptedModel,
  testPorts,
  type ManualClock,
  type Script,
  type ScriptedModel,
} from '@holdpoint/testing'
import {
  agent,
  type Agent,
  type AgentOptions,
  type LogEvent,
  type ModelRequest,
  type Ports,
  type Session,
  type Store,
} from 'holdpoint'
import { expect } from 'vitest'
import { ActiveConversation } from '@holdpoint/runtime/internal/conversation/active-conversation'
import { ConversationLog } from '@holdpoint/runtime/internal/conversation/conversation-log'
import type { LogOptions } from '@holdpoint/runtime/internal/log/log-options'
import { sessionHost } from '@holdpoint/runtime/internal/drive/log-host'
import type { TurnResult } from '@holdpoint/runtime/internal/session/result'
import type { SendOptions } from '@holdpoint/runtime/internal/session/session-options'

export interface Desk {
  readonly agent: Agent
  readonly model: ScriptedModel
  readonly clock: ManualClock
}

type DeskOptions = Partial<AgentOptions> & { readonly clock?: ManualClock; readonly process?: string }

/** The agent of one simulated process, with its own model, ids and (by default) clock. */
export function desk(scripts: readonly Script[], options: DeskOptions = {}): Desk {
  const { clock = manualClock(), process = 'p', ...rest } = options
  const model = scriptedModel(scripts)
  return { agent: agent({ name: 'desk', model, ...rest, ports: portsOf(process, clock) }), model, clock }
}

/** Ids start with the name of the process, so that processes never generate the same id. */
export function portsOf(process: string, clock: ManualClock): Ports {
  const ports = testPorts({ clock })
  return { ...ports, id: () => `${process}-${ports.id()}`, problem: () => {} }
}

/** The address of a session's conversation in its store. */
export function addressOf(id: string): Address {
  return { tenant: '', id }
}

/** Conversation `c` as a process that just loaded it has it: only the newest events are in memory. */
export async function live(agent: Agent, store: Store, options?: LogOptions): Promise<ActiveConversation> {
  const log = new ConversationLog(addressOf('c'), store, agent.ports, options)
  await log.refresh()
  return new ActiveConversation(agent, log, sessionHost(store, agent.ports))
}

export function say(conversation: ActiveConversation, content: string, options: SendOptions = {}): Promise<TurnResult> {
  return conversation.run({ content }, options, () => conversation.drive('all'))
}

export function goOn(conversation: ActiveConversation, options: SendOptions = {}): Promise<TurnResult> {
  return conversation.run(undefined, options, () => conversation.drive('all'))
}

interface Counting {
  readonly store: Store
  /** Every appended event. */
  readonly all: LogEvent[]
  /** The number of reads of older events. */
  reads: number
}

/** A store that returns older events in small pages and counts the reads. */
export function countingStore(inner: Store): Counting {
  const counting: Counting = {
    all: [],
    reads: 0,
    store: {
      ...inner,
      append: async (write) => {
        const written = await inner.append(write)
        if (written.result === 'ok') counting.all.push(...written.events)
        return written
      },
      readBack: (from, before, limit) => {
        counting.reads++
        return inner.readBack(from, before, Math.min(limit, 3))
      },
    },
  }
  return counting
}

/** Runs work that needs no timer until the condition is true. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (condition()) return
    await tick()
  }
  throw new Error(`This never came true: ${condition.toString()}`)
}

/** Moves the clock until the work is done. */
export async function inTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let over = false
  const settled = (): void => void (over = true)
  work.then(settled, settled)
  for (let turns = 0; turns < 1000 && !over; turns++) await clock.advance(1000)
  if (!over) throw new Error('This was not done in 1000 seconds.')
  return work
}

/** Finishes all work that needs no timer. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A session as another process would read it. */
export function saved(session: Session): { readonly data: unknown } {
  return { data: JSON.parse(JSON.stringify(session)) as unknown }
}

export function idOf(session: Session, name: string): string {
  const hold = session.holds.find((each) => each.name === name)
  if (!hold)
    throw new Error(`Nothing named ${name} is held; held are: ${session.holds.map((each) => each.name).join(', ')}`)
  return hold.callId
}

export function types(session: Session): readonly string[] {
  return session.events.map(({ type }) => type)
}

/** Each call's outcome, by name of the tool. */
export function outcomes(session: Session): Readonly<Record<string, unknown>> {
  const names = new Map<string, string>()
  const found: Record<string, unknown> = {}
  for (const event of session.events) {
    if (event.type === 'model.replied')
      for (const part of event.reply.parts) if (part.type === 'call') names.set(part.callId, part.name)
    if (event.type === 'call.settled') found[names.get(event.callId) ?? event.callId] = event.outcome
  }
  return found
}

/** The results of calls in the newest prompt, by tool name. */
export function toldTo(model: ScriptedModel): Readonly<Record<string, unknown>> {
  const prompt = model.requests.at(-1)?.prompt ?? []
  return Object.fromEntries(
    prompt.flatMap((message) =>
      message.role === 'tool' ? message.results.map(({ name, content }) => [name, content] as const) : [],
    ),
  )
}

/** Checks: no gaps, the state is the folded log, one outcome per call, and a result for each call in a prompt. */
export function expectSound(session: Session, ...models: readonly ScriptedModel[]): void {
  expect(session.events.map(({ seq }) => seq)).toEqual(session.events.map((_, index) => index + 1))
  expect(session.state).toEqual(fold(session.events))
  expect(session.state).toEqual(fold((JSON.parse(JSON.stringify(session)) as { events: LogEvent[] }).events))
  const settled = session.events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
  expect(new Set(settled).size).toBe(settled.length)
  for (const { requests } of models) for (const request of requests) expectPaired(request)
}

export function expectPaired({ prompt }: ModelRequest): void {
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant') continue
    const calls = message.parts.flatMap((part) => (part.type === 'call' && !part.byProvider ? [part.id] : []))
    const after = prompt[index + 1]
    const results = after?.role === 'tool' ? after.results.map(({ id }) => id) : []
    expect(results).toEqual(calls)
    expect(new Set(calls).size).toBe(calls.length)
  }
}

export function call(name: string, input: JsonObject = {}): { readonly name: string; readonly input: JsonObject } {
  return { name, input }
}
