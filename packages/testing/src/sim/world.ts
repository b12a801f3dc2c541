/** One simulated world: nodes that share a store, people, subscribers and an operator, all made from one seed. */
import { HoldpointError, type AgentOptions, type LogEvent, type Store } from '@holdpoint/core'
import { AnswerChecks } from './answer-checks.ts'
import { AuthorChecks } from './author-checks.ts'
import type { ConversationRecord } from './conversation-record.ts'
import type { SimExtension } from './extension.ts'
import { Faults, Windows } from './faults.ts'
import { autonomousAgentsIn, autonomousAgentOptions, type AutonomousAgents } from './autonomous-agents.ts'
import { MessageChecks } from './message-checks.ts'
import { LostCallChecks } from './lost-call-checks.ts'
import { Mishaps, type Mishap } from './mishaps.ts'
import { ModelCallChecks } from './model-call-checks.ts'
import { SimNode } from './node.ts'
import { Outside } from './outside.ts'
import { Person } from './people.ts'
import { PlanChecks } from './plan-checks.ts'
import { Program, programNames } from './programs.ts'
import { Random } from './random.ts'
import { Reader } from './reader.ts'
import { RuleChecks } from './rule-checks.ts'
import { RuleMaker } from './rule-maker.ts'
import { Scheduler } from './scheduler.ts'
import { ShownCallChecks } from './shown-call-checks.ts'
import { SpaceChecks } from './space-checks.ts'
import { StoreAway } from './store-line.ts'
import { strategyFor } from './strategy.ts'
import { tally } from './tools.ts'
import { Trace } from './trace.ts'
import { Truth } from './truth.ts'
import { Judge } from './violation.ts'
import { Visitor } from './visitors.ts'

/** Replaces the real store, to put a bug in. */
export type TamperStore = (store: Store, random: Random) => Store

const START = 1_000_000
const HOUR = 3_600_000

export class World {
  readonly seed: number
  readonly random: Random
  readonly trace: Trace
  readonly judge: Judge = new Judge()
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly outages: Windows
  readonly fullDisk: Windows
  readonly truth: Truth
  readonly mishaps: Mishaps
  readonly store: Store
  /** What each node runs beside its runtime. */
  readonly extension: SimExtension | undefined
  readonly outside: Outside
  readonly models: ModelCallChecks
  readonly answers: AnswerChecks
  readonly messages: MessageChecks
  readonly askers: AuthorChecks
  readonly spaces: SpaceChecks
  readonly plans: PlanChecks
  readonly shown: ShownCallChecks
  readonly lost: LostCallChecks
  readonly ruleChecks: RuleChecks
  /** The nodes of this world consult rules, which a rule maker saves and revokes. */
  readonly hasRules: boolean
  readonly autonomous: AutonomousAgents
  /** The definitions of the autonomous agents. */
  readonly alive: readonly Omit<AgentOptions, 'model' | 'tools'>[]
  readonly agents: readonly Omit<AgentOptions, 'model' | 'tools'>[]
  readonly settings: {
    readonly leaseMs: number
    readonly lookMs: number
    readonly idleMs: number
    readonly keepIdle: number
    readonly graceMs: number
  }
  readonly nodes: readonly SimNode[]
  readonly people: readonly Person[]
  readonly programs: readonly Program[]
  readonly ruleMaker: RuleMaker | undefined
  readonly visitors: readonly Visitor[]
  readonly readers: readonly Reader[]
  /** Requests that are on their way, or that a node did not answer yet. */
  asking = 0
  /** The node that dies before it gets the answer to its write. */
  #doomed: string | undefined

  constructor(
    seed: number,
    trace: boolean,
    tamper: TamperStore = (store) => store,
    mishap?: Mishap,
    extend?: (world: World) => SimExtension,
  ) {
    this.seed = seed
    const root = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995)
    this.random = root.fork('world')
    this.trace = new Trace(trace)
    this.scheduler = new Scheduler(root.fork('order'), strategyFor(root.fork('strategy')), this.trace, START)
    this.faults = new Faults(root.fork('faults'), this.trace)
    this.outages = new Windows(root.fork('outages'), START, 2, 25_000)
    this.fullDisk = new Windows(root.fork('disk'), START, 2, 25_000)
    this.truth = new Truth(this.scheduler, this.judge, this.trace)
    this.mishaps = new Mishaps(this, root.fork('mishaps'), extend ? 'none' : mishap)
    this.store = this.mishaps.surround(tamper(this.truth.store, root.fork('tamper')))
    this.outside = new Outside(this.truth, this.judge)
    this.ruleChecks = new RuleChecks(
      this.judge,
      () => this.scheduler.now,
      (id, conversation) => {
        const bornAt = this.nodes.find((node) => node.id === id)?.bornAt
        return bornAt === undefined ? undefined : Math.max(bornAt, this.truth.ownedSince(conversation))
      },
    )
    this.answers = new AnswerChecks(this, this.ruleChecks)
    this.messages = new MessageChecks(this.judge)
    this.askers = new AuthorChecks(this.judge)
    this.spaces = new SpaceChecks(this.judge)
    this.plans = new PlanChecks(this.judge, this.scheduler)
    this.shown = new ShownCallChecks(this.truth, this.judge)
    this.lost = new LostCallChecks(this.judge, this.scheduler, (id) =>
      this.nodes.some((node) => node.id === id && node.runtime && !node.closing && node.countsOnItsLease),
    )

    this.hasRules = root.fork('rules').chance(0.4)
    this.truth.onRule = (rule) => this.ruleChecks.put(rule)
    const shape = root.fork('shape')
    this.settings = {
      leaseMs: shape.pick([9000, 15_000, 30_000]),
      lookMs: shape.pick([3000, 6000, 12_000]),
      idleMs: shape.pick([500, 5000, 30_000]),
      keepIdle: shape.pick([0, 1, 100]),
      graceMs: shape.pick([1000, 10_000]),
    }
    this.agents = Array.from({ length: shape.between(1, 3) }, (_, n) => agentOptions(`c${n + 1}`, shape))
    const windows = this.agents.flatMap(({ name, context }) =>
      context?.window && 'messages' in context.window ? [[name, context.window.messages] as const] : [],
    )
    const plain = this.agents.filter(({ plugins }) => !plugins).map(({ name }) => name)
    this.models = new ModelCallChecks(this.truth, this.judge, { windows: new Map(windows), plain: new Set(plain) })
    const agentShape = root.fork('lives')
    this.autonomous = autonomousAgentsIn(agentShape)
    this.alive = this.autonomous.agents.map((name) => autonomousAgentOptions(name, agentShape))
    this.truth.onCommit = (record, events, writer) => this.#follow(record, events, writer)
    // The first always drives: one node has to.
    this.nodes = Array.from(
      { length: shape.pick([2, 2, 3, 3, 4]) },
      (_, n) => new SimNode(this, `node${n + 1}`, n === 0 || shape.chance(0.75), n > 0 && this.#lacks(agentShape)),
    )
    this.extension = extend?.(this)
    this.people = Array.from({ length: shape.between(2, 3) }, (_, n) => new Person(this, ['ann', 'bob', 'cy'][n] ?? ''))
    this.programs = programNames.map((name) => new Program(this, name, root.fork(name)))
    this.ruleMaker = this.hasRules ? new RuleMaker(this, root.fork('rule maker')) : undefined
    this.readers = Array.from(
      { length: shape.between(1, 3) },
      (_, n) => new Reader(this, `reader${n + 1}`, shape.pick(this.agents).name),
    ).concat(this.autonomous.spaces.map((space) => new Reader(this, `reader of ${space}`, space)))
    this.visitors = this.autonomous.spaces.length > 0 ? [new Visitor(this, 'dee'), new Visitor(this, 'eve')] : []
  }

  /** New events are in a log. */
  #follow(record: ConversationRecord, events: readonly LogEvent[], writer: string | undefined): void {
    const { faults } = this
    this.mishaps.restored.follow(record, events)
    this.models.follow(record, events, writer)
    this.lost.follow(record, events, writer)
    this.ruleChecks.follow(record, events, writer)
    for (const judged of [this.messages, this.askers, this.spaces, this.plans, this.shown])
      judged.follow(record, events)
    // The worst moment: the start is written, and its writer has no answer yet.
    if (events.some(({ type }) => type === 'call.started') && faults.strikes('pause', 100)) this.#pause(writer)
    // A rule allowed a call, and the process dies before it starts it.
    if (this.hasRules && events.some(({ type }) => type === 'call.cleared') && faults.strikes('crash', 30))
      this.#doomed = writer
    // As bad: an agent's message is in the space, and its own log does not have it.
    const said = events.some((event) => event.type === 'message.posted' && event.from.kind === 'agent')
    if (said && faults.strikes('crash', 20)) this.#doomed = writer
  }

  /** The agent that a node does not have, if it lacks one. */
  #lacks(agentShape: Random): string | false {
    const lacking =
      this.autonomous.agents.length > 0 && agentShape.chance(0.4) && agentShape.pick(this.autonomous.agents)
    if (lacking !== false) this.faults.happened('agent-elsewhere')
    return lacking
  }

  /** Starts a background task. If it fails, the simulation is broken. */
  seeTo(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.unexpected(error, 'the simulation'))
  }

  /** The only allowed errors: the store is unavailable, the node is closed, or the agent is on another node. */
  unexpected(error: unknown, where: string, node = ''): void {
    if (error instanceof StoreAway || this.mishaps.told(error, node)) return
    if (HoldpointError.is(error) && (error.code === 'store-unavailable' || error.code === 'closed')) return
    if (HoldpointError.is(error) && error.code === 'agent-missing' && this.faults.counts.has('agent-elsewhere')) return
    this.judge.require(
      false,
      'nothing-breaks',
      () => `${where}: ${error instanceof Error ? error.stack : String(error)}`,
    )
  }

  /** Faults that may happen between any two steps. */
  disturb(): void {
    const { faults, random } = this
    const doomed = this.nodes.find(({ id, runtime }) => id === this.#doomed && runtime)
    this.#doomed = undefined
    doomed?.crash(random.between(0, 20_000))
    if (faults.strikes('crash')) random.pick(this.nodes).crash(random.between(0, 20_000))
    if (faults.strikes('pause')) this.#pause(random.pick(this.nodes).id)
    if (faults.strikes('clock-jump')) random.pick(this.nodes).jump(random.pick([-24, -1, 1, 24]) * HOUR)
  }

  /** Mostly for longer than the lease; a shorter pause must do no harm. */
  #pause(id: string | undefined): void {
    const { random } = this
    const node = this.nodes.find((each) => each.id === id && each.awake)
    const leases = random.chance(0.7) ? 1.2 + 1.3 * random.next() : random.next()
    node?.pause(Math.round(this.settings.leaseMs * leases))
  }

  /** All nodes are gone for so long that plans are missed. */
  #blackOut(): void {
    this.faults.happened('blackout')
    const ms = this.random.between(60_000, 130_000)
    for (const node of this.nodes) node.crash(ms + this.random.between(0, 5000))
  }

  /** Nodes are closed and opened again, one or all after the other, some with changed tools. */
  async operate(): Promise<void> {
    const { random, nodes, scheduler, faults } = this
    const operator = scheduler.process('operator')
    const rolling = random.chance(0.4)
    await scheduler.wait(operator, 'waits', random.between(2000, 30_000))
    if (this.autonomous.agents.length > 0 && random.chance(0.6)) this.#blackOut()
    const version = random.pick([1, 2, 2] as const)
    for (const node of rolling ? nodes : random.chance(0.5) ? [random.pick(nodes)] : []) {
      if (version === 2) faults.happened('upgrade')
      node.version = version
      node.close()
      await scheduler.wait(operator, 'waits', random.between(500, 8000))
    }
  }
}

function agentOptions(name: string, shape: Random): Omit<AgentOptions, 'model' | 'tools'> {
  return {
    name,
    instructions: name,
    maxSteps: shape.between(3, 6),
    maxParallel: shape.pick([1, 2, 8]),
    onToolError: shape.chance(0.2) ? 'halt' : 'continue',
    whileBusy: 'refuse',
    ...(shape.chance(0.3) && { context: { window: { messages: shape.between(2, 6) } } }),
    ...(shape.chance(0.5) && { plugins: [tally] }),
    retry: { firstDelayMs: 200, maxDelayMs: 2000 },
  }
}
