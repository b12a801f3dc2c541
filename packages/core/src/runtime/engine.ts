/**
 * What runs behind a runtime: this process's lease, its scheduler, and the logs in its memory. Nothing here has to survive
 * a crash: the store knows what waits, and the next process looks.
 */
import { HoldpointError } from '../failure.ts'
import type { LogEvent } from '../log/log-event.ts'
import { UNKNOWN_AUTHOR, type Author } from '../log/message.ts'
import type { Delivery } from '../log/notice.ts'
import type { Address, DueQuery, Store } from '../log/store.ts'
import { agentOfLog } from '../log/agent-log.ts'
import { OVER, type Ports } from '../ports.ts'
import { noScope, scopeOf, type Scope } from '../tool/context.ts'
import type { Conversation } from '../turn/turn-state.ts'
import { ActiveConversation } from '../loop/active-conversation.ts'
import { noReceivers } from '../loop/deliver-notices.ts'
import type { Relay, World } from '../loop/world.ts'
import { ActiveLogs, type ActiveLogListener, type AnyActiveLog } from './active-logs.ts'
import { Agents } from './agents.ts'
import { Clients } from './clients.ts'
import type { Extension, OtherActiveLog } from './extension.ts'
import { FirstWords } from './first-words.ts'
import { Lease } from './lease.ts'
import { MissingAgents } from './missing-agents.ts'
import { newHolds } from './new-holds.ts'
import { Postponed } from './postponed.ts'
import { Scheduler } from './scheduler.ts'
import type { NewHold, RuntimeOptions } from './runtime-options.ts'
import { Subscribers } from './subscribers.ts'
import { Sweeper } from './sweeper.ts'

export class Engine implements World, ActiveLogListener {
  readonly store: Store
  readonly ports: Ports
  readonly logs: ActiveLogs
  /** Undefined when this process drives nothing. */
  readonly node: string | undefined
  readonly oneAgent = true
  readonly subscribers: Subscribers
  readonly clients: Clients
  readonly firstWords: FirstWords
  readonly #options: RuntimeOptions
  readonly #lease: Lease
  readonly #scheduler: Scheduler
  readonly #agents: Agents
  readonly #extension: Extension | undefined
  readonly #missing: MissingAgents
  readonly #postponed = new Postponed()
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []
  /** How many of those that were due could not be helped. They come up every time, and must not hide the others. */
  #helpless = 0
  readonly #sweeper: Sweeper
  #unlisten: () => void = () => {}
  #closed: Promise<void> | undefined

  private constructor(options: RuntimeOptions, extend: (engine: Engine) => Extension | undefined) {
    const { store, leaseMs = 15_000, idleMs = 30_000, keepIdle = 100, drive = true, planEveryMs } = options
    this.store = store
    this.#options = options
    this.#lease = new Lease(store, options.ports, leaseMs)
    this.ports = { ...options.ports, ...(planEveryMs !== undefined && { planEveryMs }), now: () => this.#lease.now() }
    this.#extension = extend(this)
    this.#agents = new Agents(options, this.ports, this.#extension)
    this.#missing = new MissingAgents(this.#agents, this.ports, (error, address) => this.problem(error, address))
    this.subscribers = new Subscribers(store, this.ports)
    this.firstWords = new FirstWords(store)
    this.#sweeper = new Sweeper(store, this.ports)
    this.#scheduler = new Scheduler(this.ports, options.lookMs ?? 1000)
    this.clients = new Clients({
      store,
      ports: this.ports,
      node: this.#lease.node,
      failed: (error, address) => this.problem(error, address),
    })
    this.node = drive ? this.#lease.node : undefined
    const log = {
      node: this.node ?? NO_NODE,
      stuck: (error: unknown, address: Address) => this.problem(error, address),
    }
    this.logs = new ActiveLogs(this, this.#agents, this.#extension, log, { idle: keepIdle, idleMs })
  }

  static async start(
    options: RuntimeOptions,
    extend: (engine: Engine) => Extension | undefined = () => undefined,
  ): Promise<Engine> {
    const engine = new Engine(options, extend)
    await engine.#lease.beat()
    engine.clients.start()
    engine.#unlisten = engine.store.listen((what, seq, look) => engine.#heard(what, seq, look))
    const { signal } = engine.#closing
    engine.#loops.push(
      engine.#lease.keep(
        signal,
        () => engine.#wakeDrivers(),
        (error) => engine.problem(error),
      ),
      engine.#scheduler.keep(signal, () => engine.#lookAround()),
    )
    return engine
  }

  mayWork(): boolean {
    return this.#lease.valid
  }

  term(): number {
    return this.#lease.term
  }

  wakeAt(at: number): void {
    this.#scheduler.wakeAt(at)
  }

  postpone(address: Address, until: number): void {
    this.wakeAt(this.#postponed.put(address, until, this.ports.now()))
  }

  clientSeenAt(address: Address, tool: string): Promise<number> {
    return this.clients.seenAt(address, tool)
  }

  deliver(from: Address, delivery: Delivery): Promise<void> {
    return this.#extension ? this.#extension.deliver(from, delivery) : noReceivers()
  }

  relay(address: Address): Relay | undefined {
    return this.#extension?.relay(address)
  }

  wrote(events: readonly LogEvent[], state: Conversation, address: Address): void {
    if (this.#options.onHeld) this.#tellHeld(newHolds(events, state, address))
  }

  entered(active: AnyActiveLog): void {
    this.subscribers.watch(active)
  }

  left(active: AnyActiveLog): void {
    this.subscribers.unwatch(active)
  }

  get closing(): boolean {
    return this.#closing.signal.aborted
  }

  /** For the tools of a turn. The tools of an autonomous agent get the agent's own scope, whatever woke it. */
  scope({ tenant, id }: Address, by: string | undefined, askedBy: readonly Author[] = UNKNOWN_AUTHOR): Scope {
    const agent = agentOfLog(id)
    const asker = agent === undefined ? { by } : { by: undefined, agent }
    const { scope } = this.#options
    if (scope) return scope({ tenant, conversationId: id, ...asker }) ?? noScope
    return agent === undefined ? scopeOf(by, askedBy) : { agent }
  }

  /** Only if it is in memory. */
  peekConversation(address: Address): ActiveConversation | undefined {
    const active = this.logs.peek(address)
    return active instanceof ActiveConversation ? active : undefined
  }

  /** Does something with a conversation, which is made by the first append. Throws `OtherMachine` for a space. */
  async use<T>(
    address: Address,
    agent: string | undefined,
    work: (active: ActiveConversation) => Promise<T>,
  ): Promise<T> {
    for (let look = 'first' as 'first' | 'again'; ; look = 'again') {
      this.#checkOpen()
      const active = await this.logs.conversation(address, agent, look)
      this.#checkOpen()
      if (active && this.logs.keeps(active)) return active.use(() => work(active))
    }
  }

  /** Does something with a conversation if there is one. */
  async useExisting<T>(
    address: Address,
    work: (active: ActiveConversation) => Promise<T>,
    agent?: string,
  ): Promise<T | undefined> {
    return this.#withExisting(address, agent, async (active) =>
      active instanceof ActiveConversation ? work(active) : undefined,
    )
  }

  /** Does something with a log of the extension, which is made by the first append. Throws `OtherMachine` for a conversation. */
  async useOther<T>(address: Address, work: (active: OtherActiveLog) => Promise<T>): Promise<T> {
    for (;;) {
      this.#checkOpen()
      const active = await this.logs.other(address)
      this.#checkOpen()
      if (active && this.logs.keeps(active)) return active.use(() => work(active))
    }
  }

  /** Does something with a log of the extension if there is one. */
  async useExistingOther<T>(address: Address, work: (active: OtherActiveLog) => Promise<T>): Promise<T | undefined> {
    return this.#withExisting(address, undefined, async (active) =>
      active instanceof ActiveConversation ? undefined : work(active),
    )
  }

  async #withExisting<T>(
    address: Address,
    agent: string | undefined,
    work: (active: AnyActiveLog) => Promise<T>,
  ): Promise<T | undefined> {
    for (let look = 'first' as 'first' | 'again'; ; look = 'again') {
      this.#checkOpen()
      const active = await this.logs.existing(address, agent, look)
      this.#checkOpen()
      if (active === null) return undefined
      if (active && this.logs.keeps(active)) return active.use(() => work(active))
    }
  }

  #checkOpen(): void {
    if (this.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
  }

  /** Reports an error that no caller waits for. */
  problem(error: unknown, conversation?: Address): void {
    try {
      this.#options.onProblem?.({ error, ...(conversation && { conversation }) })
    } catch {
      // A listener that throws stops nothing here.
    }
  }

  /** Later: the application may use the conversation at once, and its errors are not the writer's. */
  #tellHeld(holds: readonly NewHold[]): void {
    for (const hold of holds)
      Promise.resolve(hold)
        .then(this.#options.onHeld)
        .catch((error: unknown) => this.problem(error, { tenant: hold.tenant, id: hold.conversationId }))
  }

  /** Finishes what is under way within the grace, hands the rest over, and says goodbye to the other nodes. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    const over = new AbortController()
    const grace = this.ports.sleep(this.#options.graceMs ?? 10_000, over.signal)
    this.#closing.abort(OVER)
    this.#unlisten()
    // The lease is kept up as long as work goes on under it.
    const keeping = this.#lease.keep(
      over.signal,
      () => {},
      (error) => this.problem(error),
    )
    await Promise.all([this.clients.close(), ...Array.from(this.logs, (active) => active.close(grace))])
    this.subscribers.close()
    over.abort(OVER)
    await Promise.all([...this.#loops, keeping])
    try {
      await this.store.leave(this.#lease.node)
    } finally {
      if (this.#options.closeStore) await this.store.close()
    }
  }

  async #lookAround(): Promise<{ readonly next: number | undefined; readonly more: boolean }> {
    try {
      const limit = LOOK + this.#helpless
      const { conversations, next } = await this.store.due(this.#due(limit))
      const known = await this.#missing.without(this.#postponed.without(conversations, this.ports.now()))
      const looked = await Promise.all(known.map((address) => this.#look(address)))
      const doubtful = Array.from(this.logs).filter(({ claiming }) => claiming)
      await Promise.all(doubtful.map(({ log }) => this.#look(log.address)))
      this.#helpless = conversations.length - looked.filter((each) => each === 'helped').length
      await this.#catchUp()
      this.logs.tidy()
      await this.#sweeper.sweep(this.#closing.signal)
      // Those without an agent are not looked at again, and must not keep the others waiting.
      return { next, more: conversations.length === limit && looked.some((each) => each !== 'helpless') }
    } catch (error) {
      this.problem(error)
      return { next: undefined, more: false }
    }
  }

  #due(limit: number): DueQuery {
    const { names } = this.#agents
    return names ? { agents: names, limit } : { limit }
  }

  /** Whether that was of any use; an orphan's agent is not here. */
  async #look(address: Address): Promise<'helped' | 'helpless' | 'orphan'> {
    try {
      const helped = await this.#withExisting(address, undefined, (active) => active.look())
      return helped === true ? 'helped' : 'helpless'
    } catch (error) {
      if (this.#missing.took(error, address)) return 'orphan'
      this.problem(error, address)
      return 'helpless'
    }
  }

  /** Notifications may be lost, so the engine asks the store for the newest seq now and then. */
  async #catchUp(): Promise<void> {
    await this.subscribers.catchUp()
    const followed = Array.from(this.logs).filter((active) => active.log.hasWork || !active.idle)
    if (followed.length === 0) return
    const heads = await this.store.heads(followed.map(({ log }) => log.address))
    await Promise.all(followed.map((active, index) => this.#refresh(active, heads[index] ?? 0)))
  }

  async #refresh(active: AnyActiveLog, seq: number): Promise<void> {
    if (!isNews(active, seq)) return
    await active.log.announced(seq)
    active.wake()
    active.pump()
  }

  #heard(what: Address, seq: number, look: boolean | undefined): void {
    this.subscribers.changed(what, seq)
    this.#postponed.forget(what)
    const active = this.logs.peek(what)
    if (active && isNews(active, seq)) this.#refresh(active, seq).catch((error: unknown) => this.problem(error, what))
    // Only a process that drives looks at once. Deadlines are known without a notification.
    if (look === true && this.#options.drive !== false) this.#scheduler.soon()
  }

  #wakeDrivers(): void {
    for (const active of this.logs) active.wake()
  }
}

/** Mostly it is what this process wrote itself. */
function isNews({ log }: AnyActiveLog, seq: number): boolean {
  return seq > log.state.seq || log.inDoubt
}

/**
 * The owner of work that is started by a process which drives nothing. No node has this name, so the next process that looks
 * takes the work over. Without a name the last owner would keep it, and that process does not look at logs it owns.
 */
export const NO_NODE = 'none'

/** How many conversations are looked at in one go. */
const LOOK = 100
