/** Simulated processes that share a store and a manual clock. Each can be killed at any time. */
import { fold, memoryStore, type Address, type Append, type EventBody, type NextTime } from '@holdpoint/core'
import type { RuntimeOptions } from '@holdpoint/runtime'
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
  Runtime,
  tool,
  type Agent,
  type AgentOptions,
  type LogEvent,
  type Problem,
  type Store,
  type Tool,
} from 'holdpoint'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { expectPaired } from './session-kit.ts'
import { Life, type Around, type Question } from './mortal.ts'

export const LEASE = 15_000

/** The shared store: each process opens it itself. */
export interface Place {
  open(clock: ManualClock): Promise<Store>
  /** Closes the files that a dead process had open. */
  drop?(store: Store): Promise<void>
}

export interface Setup extends Omit<Partial<RuntimeOptions>, 'agents' | 'store'>, Around {
  /** The reply of the model in each step of a turn. It depends on the prompt alone, so each process gets the same one. */
  readonly says?: readonly Script[]
  readonly tools?: readonly Tool[]
  readonly agent?: Partial<AgentOptions>
  /** Parses cron expressions. */
  readonly nextTime?: NextTime
  /** Names of agents, instead of the one agent `desk`. */
  readonly agents?: readonly string[]
}

export interface Process {
  readonly runtime: Runtime
  readonly model: ScriptedModel
  readonly problems: Problem[]
  /** Every request of this process to the store, in order. */
  readonly asked: readonly { readonly question: Question; readonly given: readonly unknown[] }[]
  /** Kills the process: no pending promise resolves, and its lease is not released. */
  kill(): void
}

export class World {
  readonly clock: ManualClock = manualClock()
  readonly #place: Place
  readonly #lives = new Set<Life>()
  readonly #dropping: Promise<void>[] = []
  #store: Promise<Store> | undefined

  constructor(place: Place = inMemory()) {
    this.#place = place
    onTestFinished(() => this.#end())
  }

  /** The store, for the test itself. */
  get store(): Promise<Store> {
    return (this.#store ??= this.#place.open(this.clock))
  }

  async process(name: string, setup: Setup = {}): Promise<Process> {
    const {
      says = [],
      tools = [],
      agent: more = {},
      agents = ['desk'],
      before,
      after,
      deaf = false,
      nextTime,
      ...options
    } = setup
    const inner = await this.#place.open(this.clock)
    const life = new Life(() => void this.#dropping.push(this.#place.drop?.(inner) ?? Promise.resolve()))
    this.#lives.add(life)
    const asked: { question: Question; given: readonly unknown[] }[] = []
    const problems: Problem[] = []
    const around: Around = { deaf, ...(before && { before }), ...(after && { after }) }
    const ports = life.ports({
      ...testPorts({ clock: this.clock, prefix: name }),
      ...(nextTime && { nextTime }),
      ...options.ports,
    })
    const model = scriptedModel(byStep(says))
    const made = agents.map((each) => deskOf(each, more, tools, life, life.model(model)))
    const runtime = await Runtime.open({
      onProblem: (problem) => void problems.push(problem),
      ...options,
      store: life.store(inner, around, (question, given) => asked.push({ question, given })),
      agents: made,
      ports,
    })
    return { runtime, model, problems, asked, kill: () => life.kill() }
  }

  /** Moves the clock in small steps, and finishes the due work after each. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP) {
      await this.clock.advance(Math.min(left, STEP))
      await this.calm()
    }
  }

  /** Finishes all work that needs no timer. */
  async calm(): Promise<void> {
    const asking = (): boolean => [...this.#lives].some((life) => life.asking > 0 && !life.dead)
    const patience = performance.now() + 1000
    for (let quiet = 0; quiet < 3 && performance.now() < patience;) {
      await tick()
      quiet = asking() ? 0 : quiet + 1
    }
  }

  /** Moves the clock until the work is done. */
  async soon<T>(work: Promise<T>): Promise<T> {
    let over = false
    const ended = (): void => void (over = true)
    work.then(ended, ended)
    await this.calm()
    for (let steps = 0; !over && steps < 400; steps++) await this.pass(STEP)
    if (!over) throw new Error('This was not done in 100 seconds.')
    return work
  }

  /** The whole log of a conversation. */
  async log(id = 'c', tenant = ''): Promise<readonly LogEvent[]> {
    return (await this.store).read({ tenant, id }, 0)
  }

  /** Runs work that needs no timer until the condition is true. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let turns = 0; turns < 500; turns++) {
      if (await condition()) return
      await this.calm()
    }
    throw new Error(`This never came true: ${condition.toString()}`)
  }

  async #end(): Promise<void> {
    for (const life of this.#lives) life.kill()
    await Promise.all(this.#dropping)
    await (await this.#store)?.close()
  }
}

const STEP = 250

export function inMemory(): Place {
  let store: Store | undefined
  return { open: async (clock) => (store ??= memoryStore({ now: clock.now })) }
}

function deskOf(
  name: string,
  more: Partial<AgentOptions>,
  tools: readonly Tool[],
  life: Life,
  model: Agent['model'],
): Agent {
  return agent({ name, model, tools: tools.map((each) => life.tool(each)), ...more })
}

/** The nth reply of a turn, the same for each process and each retry. */
function byStep(says: readonly Script[]): readonly Script[] {
  return Array.from({ length: 5000 }, () => ({ prompt }) => {
    const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
    return says[since.filter(({ role }) => role === 'assistant').length] ?? 'The end.'
  })
}

/** Finishes all work that needs no timer. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Server tools that record each run by name and id. */
export function noting(ran: string[], name: string, more: object = {}): Tool {
  return tool({
    name,
    description: name,
    input: z.object({}).loose(),
    ...more,
    run: ({ call: { id } }) => (ran.push(`${name} ${id}`), `${name} done`),
  })
}

export interface Slow {
  readonly tool: Tool
  /** The ids of started runs, and of aborted runs. */
  readonly started: readonly string[]
  readonly aborted: readonly string[]
  release(value?: string): void
}

/** A tool that ignores its signal and runs until the test releases it. */
export function slow(name: string, more: object = {}): Slow {
  const gates: PromiseWithResolvers<string>[] = []
  const started: string[] = []
  const aborted: string[] = []
  return {
    started,
    aborted,
    release: (value = `${name} done`) => {
      for (const gate of gates.splice(0)) gate.resolve(value)
    },
    tool: tool({
      name,
      description: name,
      input: z.object({}).loose(),
      ...more,
      run: ({ call: { id }, signal }) => {
        const gate = Promise.withResolvers<string>()
        signal.addEventListener('abort', () => aborted.push(id))
        gates.push(gate)
        started.push(id)
        return gate.promise
      },
    }),
  }
}

/** A tool that a person, a browser or a service answers. */
export function asking(name: string, executor: 'human' | 'client' | 'external', more: object = {}): Tool {
  const common = { name, description: name, input: z.object({}).loose(), ...more }
  return executor === 'human' ? tool({ ...common, executor }) : tool({ ...common, executor })
}

export const gated = { approval: 'required' } as const

export function calls(...names: readonly string[]): { readonly calls: { readonly name: string }[] } {
  return { calls: names.map((name) => ({ name })) }
}

/** The id of the held call of this tool. */
export async function heldId({ runtime }: Process, name: string, conversationId = 'c'): Promise<string> {
  const { items } = await runtime.pending({ conversationId, tool: name })
  expect(items, `what is held under ${name}`).toHaveLength(1)
  return items[0]!.callId
}

export function types(events: readonly EventBody[]): readonly string[] {
  return events.map(({ type }) => type)
}

/** Each call's outcome, by its id. */
export function outcomes(events: readonly LogEvent[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    events.flatMap((event) => (event.type === 'call.settled' ? [[event.callId, event.outcome] as const] : [])),
  )
}

export function count(events: readonly EventBody[], type: string): number {
  return events.filter((event) => event.type === type).length
}

/** The appends of a process, successful or not. */
export function writesOf({ asked }: Process): readonly Append[] {
  return asked.flatMap(({ question, given }) => (question === 'append' ? [given[0] as Append] : []))
}

export function timesAsked({ asked }: Process, question: Question, id?: string): number {
  const about = (given: readonly unknown[]): boolean => id === undefined || (given[0] as Address).id === id
  return asked.filter((each) => each.question === question && about(each.given)).length
}

/** Checks: no gaps, the log folds, one outcome per call, no run after the outcome, and complete prompts. */
export function expectSound(events: readonly LogEvent[], ...processes: readonly Process[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  fold(events)
  const settled = new Set<string>()
  for (const event of events) {
    if (event.type === 'call.started')
      expect(settled.has(event.callId), `${event.callId} starts after its end`).toBe(false)
    if (event.type !== 'call.settled') continue
    expect(settled.has(event.callId), `${event.callId} settles twice`).toBe(false)
    settled.add(event.callId)
  }
  for (const { model } of processes) for (const request of model.requests) expectPaired(request)
}
