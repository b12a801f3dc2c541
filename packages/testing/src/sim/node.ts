/**
 * A simulated process that runs the real runtime. Everything the runtime awaits is a task of the scheduler. When the
 * process dies, all of its work stops, and its next generation knows only what the store has.
 */
import {
  defineAgent,
  HoldpointError,
  ModelError,
  type Agent,
  type Json,
  type JsonObject,
  type LogEvent,
  type Ports,
  type Store,
  type ToolContext,
} from '@holdpoint/core'
import type { Problem } from '@holdpoint/runtime'
import { Runtime } from '@holdpoint/spaces'
import { forwarding } from './forwarding.ts'
import type { Process, Task } from './scheduler.ts'
import { everySeconds } from './autonomous-agents.ts'
import { simModel } from './sim-model.ts'
import { storeHandle } from './store-handle.ts'
import { simTools, type ToolVersion } from './tools.ts'
import type { World } from './world.ts'

export class SimNode {
  readonly world: World
  readonly process: Process
  /** The runtime while the node runs. */
  runtime: Runtime | undefined
  /** Set while it closes: the last seq it knew of each conversation when that began. */
  closing: Map<string, number> | undefined
  /** Its name in the store, in this generation. */
  id = ''
  version: ToolVersion = 1
  readonly #drives: boolean
  /** An autonomous agent that this node does not have. */
  readonly #lacks: string | false
  #skew = 0
  #bornAt = 0
  #believedUntil = -Infinity
  #clients = 0
  #leftAt = -Infinity
  /** By conversation: the seqs that the store told it, and when. */
  #known = new Map<string, { readonly seq: number; readonly at: number }[]>()
  /** Callers that wait for an answer of this generation. */
  readonly #callers = new Set<() => void>()

  constructor(world: World, name: string, drives: boolean, lacks: string | false) {
    this.#lacks = lacks
    this.world = world
    this.process = world.scheduler.process(name)
    this.#drives = drives
  }

  get name(): string {
    return this.process.name
  }

  get bornAt(): number {
    return this.#bornAt
  }

  /** The node runs and is not paused. */
  get awake(): boolean {
    return this.runtime !== undefined && this.process.pausedUntil <= this.world.scheduler.now
  }

  /** The last seq that this generation knows. */
  knows(conversation: string): number {
    return this.#known.get(conversation)?.at(-1)?.seq ?? 0
  }

  /** For how long it has known that the log reached this seq; negative if it does not. */
  knowsFor(conversation: string, seq: number): number {
    const known = this.#known.get(conversation)?.find((each) => each.seq >= seq)
    return known ? this.world.scheduler.now - known.at : -1
  }

  told(conversation: string, seq: number): void {
    if (seq <= this.knows(conversation)) return
    const known = this.#known.get(conversation) ?? []
    this.#known.set(conversation, [...known, { seq, at: this.world.scheduler.now }])
  }

  named(id: string): void {
    this.id = id
  }

  writes(conversation: string): void {
    this.world.models.early.writes(this.id, conversation)
  }

  refused(conversation: string): void {
    this.world.models.early.refused(this.id, conversation)
  }

  /** A node without a certain lease for a while does not know what happened in that time. */
  believed(until: number): void {
    if (!this.countsOnItsLease) this.world.lost.excuse(this.id)
    this.#believedUntil = until
  }

  get countsOnItsLease(): boolean {
    return this.world.scheduler.now < this.#believedUntil
  }

  disowned(conversation: string): void {
    this.world.mishaps.reports.disowned(this.id, conversation)
  }

  unheard(conversation: string, error: unknown): void {
    this.world.mishaps.reports.unheard(this.id, conversation)
    // A node that closes reports nothing any more.
    if (!this.closing) this.world.mishaps.met(error, conversation)
  }

  reloaded(conversation: string): void {
    // A space is also read by logs that live for one question, which report nothing.
    if (!this.world.truth.conversations.get(conversation)?.space)
      this.world.mishaps.reports.reloaded(this.id, conversation)
  }

  acknowledged(conversation: string, seq: number): void {
    this.world.mishaps.acknowledged(conversation, seq)
  }

  shown(conversation: string, events: readonly LogEvent[]): void {
    this.world.mishaps.shown(conversation, events)
  }

  unclear(conversation: string): void {
    this.world.models.early.unclear(this.id, conversation)
    this.world.lost.excuse(this.id, conversation)
  }

  /** Connects a client to this node for a while, unless the node dies before. */
  async attends(conversation: string, tools: readonly string[], stays: number): Promise<void> {
    const leave = await this.runtime?.attend(conversation, tools)
    if (!leave) return
    this.#clients++
    const bornAt = this.#bornAt
    void this.wait('its client leaves', stays).then(async () => {
      await leave()
      if (this.#bornAt !== bornAt) return
      this.#clients--
      this.#leftAt = this.world.scheduler.now
    })
  }

  /** Whether this generation has clients, or had some a moment ago. Then it still sends a heartbeat every few seconds. */
  get attended(): boolean {
    return this.#clients > 0 || this.world.scheduler.now - this.#leftAt < 6000
  }

  wait(label: string, delay: number): Promise<void> {
    return this.world.scheduler.wait(this.process, label, delay)
  }

  /** Opens a runtime. Retries until the store answers. */
  start(): void {
    const { generation } = this.process
    this.#bornAt = this.world.scheduler.now
    this.#known = new Map()
    this.#clients = 0
    this.closing = undefined
    const ports = this.#ports()
    const store = this.#store()
    this.world.seeTo(
      Runtime.open({
        store,
        agents: this.#agents(ports),
        ports,
        drive: this.#drives,
        scope: ({ by }) => ({ node: this, by }),
        onProblem: (problem) => this.#problem(problem),
        rules: this.world.hasRules,
        news: this.world.extension !== undefined,
        ...this.world.settings,
      }).then(
        (runtime) => {
          this.runtime = runtime
          this.world.extension?.opened(this, runtime, store, ports)
        },
        () => {
          if (this.process.generation === generation) this.#later('start again', 2000)
        },
      ),
    )
  }

  #store(): Store {
    const { mishaps } = this.world
    return storeHandle(
      this,
      forwarding(() => mishaps.storeOf(this)),
      this.world,
      { confirms: mishaps.standby !== undefined, watchServer: (changed) => mishaps.watch(this, changed) },
    )
  }

  #later(label: string, delay: number): void {
    this.world.scheduler.add(this.process, label, delay, () => this.start())
  }

  /** Stops at once, without telling any other process. */
  crash(restartIn: number, ghosts = true): void {
    const { scheduler, faults, random, trace } = this.world
    trace.add(`  ! ${this.name} dies`)
    const arrives = (): boolean => {
      if (!ghosts) return false
      const ghost = random.chance(0.5)
      if (ghost) faults.happened('ghost-request')
      return ghost
    }
    scheduler.kill(this.process, (_task: Task) => arrives())
    this.#gone()
    scheduler.add(this.process, 'start', restartIn, () => this.start())
  }

  /** Closes normally. Then another node replaces it. */
  close(): void {
    const { runtime, world } = this
    if (!runtime || this.closing) return
    world.faults.happened('closed-node')
    this.closing = new Map(Array.from(world.truth.conversations.values(), ({ id, events }) => [id, events.length]))
    const { generation } = this.process
    const over = (): void => {
      if (this.process.generation !== generation) return
      world.scheduler.kill(this.process, () => true)
      this.#gone()
      this.#later('start', world.random.between(0, 3000))
    }
    world.seeTo(
      Promise.all([world.extension?.closing(this), runtime.close()]).then(over, (error: unknown) => {
        world.unexpected(error, `${this.name}: close`)
        over()
      }),
    )
  }

  pause(forMs: number): void {
    this.process.pausedUntil = this.world.scheduler.now + forMs
    this.world.trace.add(`  ! ${this.name} is paused for ${forMs}`)
  }

  jump(ms: number): void {
    this.#skew += ms
  }

  /** The result of a call to this node. Undefined if the node dies first. */
  call<T>(
    label: string,
    ask: (runtime: Runtime) => Promise<T>,
    told: (answer: T) => void,
    lost: (error?: unknown) => void,
  ): void {
    const gone = (): void => lost()
    const over =
      <A>(then: (answer: A) => void) =>
      (answer: A): void => {
        if (this.#callers.delete(gone)) then(answer)
      }
    if (!this.runtime) return lost()
    this.#callers.add(gone)
    this.world.scheduler.add(this.process, label, 0, () => {
      if (this.runtime)
        ask(this.runtime).then(
          over(told),
          over((error: unknown) => lost(error)),
        )
      else over(gone)(undefined)
    })
  }

  /** A tool's handler starts on this node. */
  begins(context: ToolContext<JsonObject>): void {
    const { call, input, conversation, agent, resumed, scope } = context
    const { fingerprint = '' } = agent.toolbox.tools.get(call.name) ?? {}
    const { id: callId, name: tool, attempt } = call
    const begun = { callId, tool, attempt, input: input as Json, fingerprint, resumed, conversation: conversation.id }
    this.world.trace.add(`  * ${this.name} begins ${tool} ${callId} ${attempt}`)
    this.world.outside.begin(begun, this)
    this.world.askers.begins(context, callId, scope)
  }

  #gone(): void {
    this.runtime = undefined
    this.closing = undefined
    const callers = [...this.#callers]
    this.#callers.clear()
    for (const lost of callers) lost()
  }

  #problem({ error, conversation }: Problem): void {
    this.world.trace.add(`  ? ${this.name} ${conversation?.id ?? ''} ${String(error)}`)
    // A model failure is an expected fault, and no reason to lose track of a call.
    if (HoldpointError.is(error) && error.code === 'model-failed' && error.cause instanceof ModelError) return
    this.world.unexpected(error, this.name, this.id)
    const step = conversation && this.world.truth.conversations.get(conversation.id)?.step
    if (step) step.excused++
    this.world.lost.excuse(this.id, conversation?.id)
  }

  #ports(): Ports {
    const { scheduler, random } = this.world
    const chance = random.fork(`${this.name} ${this.process.generation}`)
    return {
      now: () => scheduler.now + this.#skew,
      monotonic: () => scheduler.now - this.#bornAt,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      id: () => chance.id(),
      random: () => chance.next(),
      nextTime: everySeconds,
    }
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const { scheduler } = this.world
      const wake = (): void => {
        signal.removeEventListener('abort', woken)
        resolve()
      }
      const woken = (): void => {
        scheduler.cancel(task)
        wake()
      }
      const task = scheduler.add(this.process, 'sleep', ms, wake)
      signal.addEventListener('abort', woken)
    })
  }

  #agents(ports: Ports): readonly Agent[] {
    const model = simModel(this)
    const alive = this.world.alive.filter(({ name }) => name !== this.#lacks)
    return [...this.world.agents, ...alive].map((options) =>
      defineAgent({ ...options, model, tools: simTools(this.version) }, ports),
    )
  }
}
