/**
 * What runs behind a runtime: this process's lease, its look-out for work and deadlines, and the conversations in its
 * memory. Nothing here is needed to be right after a crash: the store knows what waits, and the next process looks.
 */
import { HoldpointError } from '../failure.ts'
import type { Address, DueQuery, Store } from '../log/store.ts'
import { OVER, type Ports } from '../ports.ts'
import { systemScope, type Scope } from '../tool/context.ts'
import { hasWork } from '../turn/derive.ts'
import { Agents } from './agents.ts'
import { Clients } from './clients.ts'
import { FirstWords } from './first-words.ts'
import { Lease } from './lease.ts'
import { Lookout } from './lookout.ts'
import { Orphans } from './orphans.ts'
import { PutOff } from './put-off.ts'
import { Residents } from './residents.ts'
import type { Resident } from './resident.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { relay } from './relay.ts'
import { Spaces } from './spaces.ts'
import { Subscribers } from './subscribers.ts'

export class Engine {
  readonly store: Store
  readonly ports: Ports
  readonly residents: Residents
  readonly subscribers: Subscribers
  readonly spaces: Spaces
  readonly clients: Clients
  readonly firstWords: FirstWords
  readonly #options: RuntimeOptions
  readonly #lease: Lease
  readonly #lookout: Lookout
  readonly #agents: Agents
  readonly #orphans: Orphans
  readonly #putOff = new PutOff()
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []
  /** How many of those that were due could not be helped. They come up every time, and must not hide the others. */
  #helpless = 0
  #sweepAt = 0
  #unlisten: () => void = () => {}
  #closed: Promise<void> | undefined

  private constructor(options: RuntimeOptions) {
    const { store, leaseMs = 15_000, idleMs = 30_000, keepIdle = 100, drive = true } = options
    this.store = store
    this.#options = options
    this.#lease = new Lease(store, options.ports, leaseMs)
    this.ports = { ...options.ports, now: () => this.#lease.now() }
    this.spaces = new Spaces(this, NOBODY)
    this.#agents = new Agents(options, this.ports, (tenant, agent) => this.spaces.life(tenant, agent))
    this.#orphans = new Orphans(this.#agents, this.ports, (error, address) => this.problem(error, address))
    this.subscribers = new Subscribers(store)
    this.firstWords = new FirstWords(store)
    this.#lookout = new Lookout(this.ports, options.lookMs ?? 1000)
    this.clients = new Clients({
      store,
      ports: this.ports,
      node: this.#lease.node,
      failed: (error, address) => this.problem(error, address),
    })
    const node = drive ? this.#lease.node : undefined
    this.residents = new Residents(
      {
        store,
        ports: this.ports,
        agents: this.#agents,
        log: { node: node ?? NOBODY, stuck: (error, address) => this.problem(error, address) },
        surroundings: ({ tenant, id }) => ({
          problem: (error) => this.problem(error, { tenant, id }),
          tell: (notice) => this.spaces.tell({ tenant, id }, notice),
          relay: relay({ tenant, id }, this.subscribers, (agent, space) =>
            this.spaces.life(tenant, agent).isMember(space),
          ),
          oneAgent: true,
          drivesAtOnce: drive,
          mayWork: () => this.#lease.valid,
          term: () => this.#lease.term,
          scope: (by) => this.scope({ tenant, conversationId: id, by }),
        }),
        neighbours: (address) => ({
          store,
          node,
          ports: this.ports,
          wakeAt: (at) => this.#lookout.wakeAt(at),
          putOff: (until) => this.#lookout.wakeAt(this.#putOff.put(address, until, this.ports.now())),
          clientSeenAt: (tool, place = address.id) => this.clients.seenAt({ ...address, id: place }, tool),
          failed: (error) => this.problem(error, address),
        }),
        moved: (resident) => this.subscribers.watch(resident),
        left: (resident) => this.subscribers.unwatch(resident),
      },
      { idle: keepIdle, idleMs },
    )
  }

  static async start(options: RuntimeOptions): Promise<Engine> {
    const engine = new Engine(options)
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
      engine.#lookout.keep(signal, () => engine.#lookAround()),
    )
    return engine
  }

  get closing(): boolean {
    return this.#closing.signal.aborted
  }

  scope(asker: { readonly tenant: string; readonly conversationId: string; readonly by: string | undefined }): Scope {
    return this.#options.scope?.(asker) ?? systemScope
  }

  /** Does something with a conversation, which comes to be when it is written to. */
  async use<T>(address: Address, agent: string | undefined, work: (resident: Resident) => Promise<T>): Promise<T> {
    for (;;) {
      this.#checkOpen()
      const resident = await this.residents.get(address, agent)
      this.#checkOpen()
      if (this.residents.keeps(resident)) return resident.use(() => work(resident))
    }
  }

  /** Does something with a conversation if there is one. */
  async useExisting<T>(
    address: Address,
    work: (resident: Resident) => Promise<T>,
    agent?: string,
  ): Promise<T | undefined> {
    for (;;) {
      this.#checkOpen()
      const resident = await this.residents.find(address, agent)
      this.#checkOpen()
      if (!resident) return undefined
      if (this.residents.keeps(resident)) return resident.use(() => work(resident))
    }
  }

  #checkOpen(): void {
    if (this.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
  }

  /** Something that nobody waits for went wrong. */
  problem(error: unknown, conversation?: Address): void {
    try {
      this.#options.onProblem?.({ error, ...(conversation && { conversation }) })
    } catch {
      // Whoever is told of problems and has one of their own is not told of it.
    }
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
    await Promise.all([this.clients.close(), ...Array.from(this.residents, (resident) => resident.close(grace))])
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
      const known = await this.#orphans.without(this.#putOff.without(conversations, this.ports.now()))
      const looked = await Promise.all(known.map((address) => this.#look(address)))
      const doubtful = Array.from(this.residents).filter(({ claiming }) => claiming)
      await Promise.all(doubtful.map(({ log }) => this.#look(log.address)))
      this.#helpless = conversations.length - looked.filter((each) => each === 'helped').length
      await this.#catchUp()
      this.residents.tidy()
      await this.#sweep()
      // Those without an agent are not looked at again, and must not keep the others waiting.
      return { next, more: conversations.length === limit && looked.some((each) => each !== 'helpless') }
    } catch (error) {
      this.problem(error)
      return { next: undefined, more: false }
    }
  }

  /** Notes whose time is over are removed now and then, by whoever comes first. */
  async #sweep(): Promise<void> {
    const now = this.ports.monotonic()
    if (now < this.#sweepAt) return
    this.#sweepAt = now + SWEEP_EVERY_MS
    while ((await this.store.sweep(SWEEP)) === SWEEP && !this.closing);
  }

  #due(limit: number): DueQuery {
    const { names } = this.#agents
    return names ? { agents: names, limit } : { limit }
  }

  /** Whether that was of any use; an orphan's agent is not here. */
  async #look(address: Address): Promise<'helped' | 'helpless' | 'orphan'> {
    try {
      const helped = await this.useExisting(address, (resident) => resident.look())
      return helped === true ? 'helped' : 'helpless'
    } catch (error) {
      if (this.#orphans.took(error, address)) return 'orphan'
      this.problem(error, address)
      return 'helpless'
    }
  }

  /** Tidings of others' writes may be lost: whoever waits or works here asks for the truth now and then. */
  async #catchUp(): Promise<void> {
    await this.subscribers.catchUp()
    const followed = Array.from(this.residents).filter((resident) => hasWork(resident.log.state) || !resident.idle)
    if (followed.length === 0) return
    const heads = await this.store.heads(followed.map(({ log }) => log.address))
    await Promise.all(followed.map((resident, index) => this.#refresh(resident, heads[index] ?? 0)))
  }

  async #refresh(resident: Resident, seq: number): Promise<void> {
    if (!isNews(resident, seq)) return
    await resident.log.heard(seq)
    resident.live.driver?.wake()
    resident.pump()
  }

  #heard(what: Address, seq: number, look: boolean | undefined): void {
    this.subscribers.changed(what, seq)
    this.#putOff.forget(what)
    const resident = this.residents.peek(what)
    if (resident && isNews(resident, seq))
      this.#refresh(resident, seq).catch((error: unknown) => this.problem(error, what))
    // For those who drive: deadlines, which anybody can see to, are known without being told.
    if (look === true && this.#options.drive !== false) this.#lookout.soon()
  }

  #wakeDrivers(): void {
    for (const resident of this.residents) resident.live.driver?.wake()
  }
}

/** Mostly it is what this process wrote itself. */
function isNews({ log }: Resident, seq: number): boolean {
  return seq > log.state.seq || log.inDoubt
}

/**
 * Who drives what a process sets going that drives nothing itself. Nobody of that name lives, so whoever looks next takes
 * it over; without a name it would stay with whoever drove it last, who rests and looks after nothing that has an owner.
 */
const NOBODY = 'nobody'

/** How many conversations are looked at in one go. */
const LOOK = 100

const SWEEP = 500
const SWEEP_EVERY_MS = 600_000
