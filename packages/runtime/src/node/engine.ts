/**
 * One process of a runtime: its lease, its scheduler, and the logs in its memory. Nothing here has to survive a crash: the
 * store knows which logs have work, and another process finds them there.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { UNKNOWN_AUTHOR, type Author } from '@holdpoint/core/internal/log/message'
import type { Delivery } from '@holdpoint/core/internal/log/notice'
import type { Address, DueQuery, Store } from '@holdpoint/core/internal/log/store'
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import { OVER, type Ports } from '@holdpoint/core/internal/ports'
import { noScope, scopeOf, type Scope } from '@holdpoint/core/internal/tool/context'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { ActiveConversation } from '../conversation/active-conversation.ts'
import { noReceivers } from '../drive/deliver-notices.ts'
import type { Relay, LogHost } from '../drive/log-host.ts'
import { observe } from '../drive/observer.ts'
import { ActiveLogs, type ActiveLogListener, type AnyActiveLog } from './active-logs.ts'
import { Agents } from './agents.ts'
import { catchUp } from './catch-up.ts'
import { ConnectedClients } from './connected-clients.ts'
import { Files } from '../files/files.ts'
import type { Extension, OtherActiveLog } from './extension.ts'
import { HeadSigner } from './head-signer.ts'
import { FirstMessages } from '../runtime/first-messages.ts'
import { isNews } from './is-news.ts'
import { Lease } from './lease.ts'
import { MissingAgents } from './missing-agents.ts'
import { putNews } from './put-news.ts'
import { Callbacks } from '../runtime/callbacks.ts'
import { NO_NODE } from './no-node.ts'
import { PostponedConversations } from './postponed-conversations.ts'
import { passesOf } from './passes-of.ts'
import { RepeatedProblem } from '../log/repeated-problem.ts'
import { RuleStore } from '../rules/rule-store.ts'
import { Scheduler } from './scheduler.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import { Subscribers } from '../subscribe/subscribers.ts'
import { ServerChanges } from './server-changes.ts'
import { Sweeper } from './sweeper.ts'
import { TenantQuotas } from './tenant-quotas.ts'

export class Engine implements LogHost, ActiveLogListener {
  readonly store: Store
  readonly ports: Ports
  readonly logs: ActiveLogs
  /** Undefined when this process drives nothing. */
  readonly node: string | undefined
  readonly oneAgent = true
  readonly tellsNews: boolean
  readonly subscribers: Subscribers
  readonly clients: ConnectedClients
  readonly firstMessages: FirstMessages
  readonly quotas: TenantQuotas
  readonly rules: RuleStore | undefined
  /** Undefined when this process has no key. */
  readonly headSigner: HeadSigner | undefined
  readonly files: Files
  readonly agents: Agents
  readonly extension: Extension | undefined
  readonly traceparent: LogHost['traceparent'] = (run) => this.#options.observer?.traceparent?.(run)
  readonly #options: RuntimeOptions
  readonly #lease: Lease
  readonly #scheduler: Scheduler
  readonly #missing: MissingAgents
  readonly #postponed = new PostponedConversations()
  readonly callbacks: Callbacks = new Callbacks((error, address) => this.problem(error, address))
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []
  readonly #lookProblem: RepeatedProblem
  /** How many due logs had nothing to do here. They are due at each look, so the next look asks for as many more. */
  #notHelped = 0
  readonly #sweeper: Sweeper
  readonly #server: ServerChanges
  #unlisten: () => void = () => {}
  #closed: Promise<void> | undefined

  private constructor(options: RuntimeOptions, extend: (engine: Engine) => Extension | undefined) {
    const { store, leaseMs = 15_000, idleMs = 30_000, keepIdle = 100, drive = true, planEveryMs } = options
    this.store = store
    this.#options = options
    this.tellsNews = options.news ?? false
    this.#lease = new Lease(store, options.ports, leaseMs, (error) => this.problem(error))
    this.ports = { ...options.ports, ...(planEveryMs !== undefined && { planEveryMs }), now: () => this.#lease.now() }
    this.extension = extend(this)
    this.agents = new Agents(options, this.ports, this.extension)
    const failed = (error: unknown, address?: Address): void => this.problem(error, address)
    this.#lookProblem = new RepeatedProblem(failed, () => this.ports.monotonic())
    this.#missing = new MissingAgents(this.agents, this.ports, failed)
    this.subscribers = new Subscribers(store, this.ports)
    this.firstMessages = new FirstMessages(store)
    this.headSigner = options.signing && new HeadSigner(this, options.signing, drive)
    this.#sweeper = new Sweeper(store, this.ports, passesOf(this, options))
    this.quotas = new TenantQuotas(options, store, this.ports, failed)
    this.rules = options.rules ? new RuleStore(store, this.ports, options.rules) : undefined
    this.files = new Files(store, this.ports, options.files ?? {}, this.quotas)
    this.#scheduler = new Scheduler(this.ports, options.lookMs ?? 1000)
    this.#server = new ServerChanges(store, failed, () => this.#scheduler.soon(), this.#closing.signal)
    this.clients = new ConnectedClients({ store, ports: this.ports, node: this.#lease.node, failed })
    this.node = drive ? this.#lease.node : undefined
    const rolledBack = (error: unknown, address: Address): void => {
      failed(error, address)
      this.#server.rolledBack(error)
      this.subscribers.rolledBack(address, error)
    }
    const log = { node: this.node ?? NO_NODE, stuck: failed, rolledBack }
    this.logs = new ActiveLogs(this, this.agents, this.extension, log, { idle: keepIdle, idleMs })
  }

  static async start(
    options: RuntimeOptions,
    extend: (engine: Engine) => Extension | undefined = () => undefined,
  ): Promise<Engine> {
    const engine = new Engine(options, extend)
    await engine.#lease.beat()
    engine.clients.start()
    engine.#unlisten = engine.store.listen((what, seq, look) => engine.heard(what, seq, look))
    const { signal } = engine.#closing
    engine.#loops.push(
      engine.#lease.keep(signal, () => engine.logs.wake()),
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
    if ('news' in delivery) return putNews(this.store, from, delivery)
    return this.extension ? this.extension.deliver(from, delivery) : noReceivers()
  }

  isMember(space: Address, person: string): Promise<boolean> {
    return this.extension?.isMember(space, person) ?? Promise.resolve(false)
  }

  relay(address: Address): Relay | undefined {
    return this.extension?.relay(address)
  }

  wrote(events: readonly LogEvent[], state: Conversation, address: Address): void {
    observe(this.#options.observer, address, events, this)
    this.callbacks.tell(events, state, address)
  }

  entered(active: AnyActiveLog): void {
    this.subscribers.watch(active)
  }

  left(active: AnyActiveLog): void {
    this.subscribers.unwatch(active)
    this.#server.left(active.log.address)
  }

  get closing(): boolean {
    return this.#closing.signal.aborted
  }

  /** For the tools of a turn. The tools of an autonomous agent get the agent's own scope, whatever woke it. */
  scope({ tenant, id }: Address, by: string | undefined, askedBy: readonly Author[] = UNKNOWN_AUTHOR): Scope {
    const agent = agentOfLog(id)
    const asker = agent === undefined ? { by } : { by: undefined, agent }
    if (this.#options.scope) return this.#options.scope({ tenant, conversationId: id, ...asker }) ?? noScope
    return agent === undefined ? scopeOf(by, askedBy) : { agent }
  }

  /** The active conversation, if it is in memory. */
  peekConversation(address: Address): ActiveConversation | undefined {
    const active = this.logs.peek(address)
    return active instanceof ActiveConversation ? active : undefined
  }

  /** Does work on a conversation, which the first append makes. Throws `OtherMachine` for a space. */
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

  /** Does work on a conversation, if it exists. */
  async useExisting<T>(
    address: Address,
    work: (active: ActiveConversation) => Promise<T>,
    agent?: string,
  ): Promise<T | undefined> {
    return this.#withExisting(address, agent, async (active) =>
      active instanceof ActiveConversation ? work(active) : undefined,
    )
  }

  /** Does work on a log of the extension, which the first append makes. Throws `OtherMachine` for a conversation. */
  async useOther<T>(address: Address, work: (active: OtherActiveLog) => Promise<T>): Promise<T> {
    for (;;) {
      this.#checkOpen()
      const active = await this.logs.other(address)
      this.#checkOpen()
      if (active && this.logs.keeps(active)) return active.use(() => work(active))
    }
  }

  /** Does work on a log of the extension, if it exists. */
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
      // A listener that throws must not stop other work.
    }
  }

  /** Finishes work under way within the grace, hands the rest over, and gives up the lease. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    const over = new AbortController()
    const grace = this.ports.sleep(this.#options.graceMs ?? 10_000, over.signal)
    this.#closing.abort(OVER)
    this.#unlisten()
    // The lease is renewed while work under it continues.
    const keeping = this.#lease.keep(over.signal, () => {})
    await Promise.all([this.clients.close(), ...Array.from(this.logs, (active) => active.close(grace))])
    this.subscribers.close()
    over.abort(OVER)
    await Promise.all([...this.#loops, keeping, this.#sweeper.settled()])
    try {
      await this.store.leave(this.#lease.node)
    } finally {
      if (this.#options.closeStore) await this.store.close()
    }
  }

  async #lookAround(): Promise<{ readonly next: number | undefined; readonly more: boolean }> {
    try {
      await this.#server.compare(this.logs, (address) => this.#look(address))
      const limit = LOOK + this.#notHelped
      const { conversations, next } = await this.store.due(this.#due(limit))
      const known = await this.#missing.without(this.#postponed.without(conversations, this.ports.now()))
      const looked = await Promise.all(known.map((address) => this.#look(address)))
      const doubtful = Array.from(this.logs).filter(({ takingOver }) => takingOver)
      await Promise.all(doubtful.map(({ log }) => this.#look(log.address)))
      this.#notHelped = conversations.length - looked.filter((each) => each === 'helped').length
      await this.#catchUp()
      this.logs.tidy()
      await this.#sweeper.sweep(this.#closing.signal)
      this.#lookProblem.worked()
      // Conversations without an agent are not looked at again, so they do not keep others waiting.
      return { next, more: conversations.length === limit && looked.some((each) => each !== 'not-helped') }
    } catch (error) {
      this.#lookProblem.failed(error)
      return { next: undefined, more: false }
    }
  }

  #due(limit: number): DueQuery {
    const { names } = this.agents
    return names ? { agents: names, limit } : { limit }
  }

  /** Lets an active log look for work. `agent-missing`: this process does not have the log's agent. */
  async #look(address: Address): Promise<'helped' | 'not-helped' | 'agent-missing'> {
    try {
      const helped = await this.#withExisting(address, undefined, (active) => active.look())
      return helped === true ? 'helped' : 'not-helped'
    } catch (error) {
      if (this.#missing.took(error, address)) return 'agent-missing'
      // A runtime that is closed during a look leaves the log to the next one.
      if (!this.closing) this.problem(error, address)
      return 'not-helped'
    }
  }

  /** Notifications may be lost, so the engine asks the store for the newest seq of each followed log from time to time. */
  async #catchUp(): Promise<void> {
    await this.subscribers.catchUp()
    await catchUp(this.store, this.logs, (active, seq) => this.#refresh(active, seq))
  }

  async #refresh(active: AnyActiveLog, seq: number): Promise<void> {
    if (!isNews(active, seq)) return
    await active.log.announced(seq)
    active.wake()
    active.pump()
  }

  /** The log has reached this seq by an append outside of its active log, in this process or another. */
  heard(what: Address, seq: number, look?: boolean): void {
    this.subscribers.changed(what, seq)
    this.#postponed.forget(what)
    const active = this.logs.peek(what)
    if (active && isNews(active, seq)) this.#refresh(active, seq).catch((error: unknown) => this.problem(error, what))
    // Only a process that drives looks at once. Deadlines are known without a notification.
    if (look === true && this.#options.drive !== false) this.#scheduler.soon()
  }
}

/** How many due logs one look handles. */
const LOOK = 100
