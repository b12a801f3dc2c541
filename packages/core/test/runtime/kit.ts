/** Processes that share a store, on one clock that stands still until a test moves it. Each can be killed without ceremony. */
import {
  fold,
  memoryStore,
  type Address,
  type Append,
  type EventBody,
  type NextTime,
  type RuntimeOptions,
} from '@holdpoint/core'
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
import { expectPaired } from '../loop/kit.ts'
import { Life, type Around, type Question } from './mortal.ts'

export const LEASE = 15_000

/** Where conversations are kept: each process opens it for itself. */
export interface Place {
  open(clock: ManualClock): Promise<Store>
  /** Takes away what a process that died had open. */
  drop?(store: Store): Promise<void>
}

export interface Setup extends Omit<Partial<RuntimeOptions>, 'agents' | 'store'>, Around {
  /** What the model says in each step of a turn; it depends on the prompt alone, so any process says the same. */
  readonly says?: readonly Script[]
  readonly tools?: readonly Tool[]
  readonly agent?: Partial<AgentOptions>
  /** Reads cron lines. */
  readonly nextTime?: NextTime
  /** In place of the one agent `desk`: their names. */
  readonly agents?: readonly string[]
}

export interface Process {
  readonly runtime: Runtime
  readonly model: ScriptedModel
  readonly problems: Problem[]
  /** Every question this process asked the store, in order. */
  readonly asked: readonly { readonly question: Question; readonly given: readonly unknown[] }[]
  /** Dies: nothing it awaits ever resolves, and its lease runs on. */
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

  /** The store as an observer sees it that belongs to no process. */
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

  /** Lets time pass in small steps, and everybody do at each what there is to do. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP) {
      await this.clock.advance(Math.min(left, STEP))
      await this.calm()
    }
  }

  /** Lets everything go on that needs no time. */
  async calm(): Promise<void> {
    const asking = (): boolean => [...this.#lives].some((life) => life.asking > 0 && !life.dead)
    const patience = performance.now() + 1000
    for (let quiet = 0; quiet < 3 && performance.now() < patience;) {
      await tick()
      quiet = asking() ? 0 : quiet + 1
    }
  }

  /** Lets time pass until the work is done. */
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

  /** Lets everything go on that needs no time, until this is so. */
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

/** The nth reply of a turn, however often and wherever it is asked for. */
function byStep(says: readonly Script[]): readonly Script[] {
  return Array.from({ length: 5000 }, () => ({ prompt }) => {
    const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
    return says[since.filter(({ role }) => role === 'assistant').length] ?? 'The end.'
  })
}

/** Lets all work finish that does not wait for a timer. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Server tools that note each run, by name and id. Approval and the rest as given. */
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
  /** The ids it began with, and those of which it was told to stop. */
  readonly started: readonly string[]
  readonly aborted: readonly string[]
  release(value?: string): void
}

/** A tool that runs until it is let go, whatever it is told. */
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

/** A tool that runs elsewhere: a person, a browser or a service answers it. */
export function asking(name: string, executor: 'human' | 'client' | 'external', more: object = {}): Tool {
  const common = { name, description: name, input: z.object({}).loose(), ...more }
  return executor === 'human' ? tool({ ...common, executor }) : tool({ ...common, executor })
}

export const gated = { approval: 'required' } as const

export function calls(...names: readonly string[]): { readonly calls: { readonly name: string }[] } {
  return { calls: names.map((name) => ({ name })) }
}

/** The id of what is held under this name. */
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

/** What a process wrote, or tried to. */
export function writesOf({ asked }: Process): readonly Append[] {
  return asked.flatMap(({ question, given }) => (question === 'append' ? [given[0] as Append] : []))
}

export function timesAsked({ asked }: Process, question: Question, id?: string): number {
  const about = (given: readonly unknown[]): boolean => id === undefined || (given[0] as Address).id === id
  return asked.filter((each) => each.question === question && about(each.given)).length
}

/** The log has no gaps, it folds, a call has one outcome, nothing ran after its outcome, and every prompt is whole. */
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
