/**
 * The conversations in memory: those somebody uses, those that are driven, and for a while those that were. Everything
 * else is in the store and costs nothing here, however long it waits.
 */
import { HoldpointError } from '../failure.ts'
import type { Address, Store } from '../log/store.ts'
import type { Agent } from '../loop/agent.ts'
import { LiveConversation, type Surroundings } from '../loop/live-conversation.ts'
import { Log, type LogOptions } from '../loop/log.ts'
import type { Ports } from '../ports.ts'
import { Resident, type Neighbours } from './resident.ts'

export interface Household {
  readonly store: Store
  readonly ports: Ports
  readonly agents: ReadonlyMap<string, Agent>
  readonly log: LogOptions
  surroundings(address: Address): Surroundings
  neighbours(address: Address): Neighbours
  /** Called once for each, when it came into memory. */
  moved(resident: Resident): void
  /** And when it left. */
  left(resident: Resident): void
}

export interface Keep {
  /** How many stay in memory although nobody needs them. */
  readonly idle: number
  /** And for how long. */
  readonly idleMs: number
}

export class Residents {
  readonly #house: Household
  readonly #keep: Keep
  readonly #byKey = new Map<string, Promise<Resident>>()
  readonly #here = new Map<string, Resident>()

  constructor(house: Household, keep: Keep) {
    this.#house = house
    this.#keep = keep
  }

  /** Reads it from the store unless it is here. `agent` is for a conversation that does not exist yet. */
  async get(address: Address, agent?: string): Promise<Resident> {
    const was = this.#byKey.has(keyOf(address))
    const resident = await this.#once(address, agent)
    // Somebody asked before anything was said (perhaps the answer took its time), and tidings may be lost.
    if (was && resident.log.state.seq === 0) await resident.log.refresh()
    const here = resident.live.agent.name
    const known = resident.log.state.agent
    if (here === (known || (agent ?? here)) && here === (agent ?? here)) return resident
    if (here !== known && resident.idle) {
      this.#forget(keyOf(address)) // nobody said anything yet when it came here
      return this.get(address, agent)
    }
    throw new HoldpointError(
      'config-invalid',
      `Conversation "${address.id}" belongs to agent "${known || here}", not "${agent ?? here}".`,
    )
  }

  /** Undefined when nobody ever wrote to it. */
  async find(address: Address, agent?: string): Promise<Resident | undefined> {
    if (!this.#byKey.has(keyOf(address))) {
      const log = await this.#read(address)
      if (log.state.seq === 0) return undefined
      if (!this.#byKey.has(keyOf(address))) this.#once(address, agent, log)
    }
    const resident = await this.get(address, agent)
    return resident.log.state.seq === 0 ? undefined : resident
  }

  /** Whether it is still the one in memory: it may have left between two steps of whoever asked for it. */
  keeps(resident: Resident): boolean {
    return this.#here.get(keyOf(resident.log.address)) === resident
  }

  #once(address: Address, agent: string | undefined, read?: Log): Promise<Resident> {
    const key = keyOf(address)
    const here = this.#byKey.get(key)
    if (here) return here
    const loading = this.#load(address, agent, read)
    this.#byKey.set(key, loading)
    loading.catch(() => this.#byKey.delete(key))
    return loading
  }

  #forget(key: string): void {
    const resident = this.#here.get(key)
    this.#here.delete(key)
    this.#byKey.delete(key)
    if (!resident) return
    resident.leave()
    this.#house.left(resident)
  }

  /** Only if it is in memory. */
  peek(address: Address): Resident | undefined {
    return this.#here.get(keyOf(address))
  }

  [Symbol.iterator](): Iterator<Resident> {
    return this.#here.values()
  }

  /** Lets go of what nobody needed for a while, and of the longest unused when there are too many. */
  tidy(): void {
    const now = this.#house.ports.monotonic()
    const idle = [...this.#here].filter(([, resident]) => resident.idle).toSorted((a, b) => a[1].usedAt - b[1].usedAt)
    for (const [index, [key, { usedAt }]] of idle.entries()) {
      if (index >= idle.length - this.#keep.idle && now - usedAt < this.#keep.idleMs) break
      this.#forget(key)
    }
  }

  async #read(address: Address): Promise<Log> {
    const { store, ports, log: options } = this.#house
    const log = new Log(address, store, ports, options)
    await log.refresh()
    return log
  }

  async #load(address: Address, wanted: string | undefined, read: Log | undefined): Promise<Resident> {
    const log = read ?? (await this.#read(address))
    const agent = this.#agentFor(address, log.state.agent, wanted)
    const live = new LiveConversation(agent, log, this.#house.surroundings(address))
    const resident = new Resident(live, this.#house.neighbours(address))
    if (this.#here.size > 2 * this.#keep.idle) this.tidy()
    this.#here.set(keyOf(address), resident)
    this.#house.moved(resident)
    return resident
  }

  #agentFor({ id }: Address, known: string, wanted: string | undefined): Agent {
    const { agents } = this.#house
    const names = [...agents.keys()].join(', ')
    const name = known === '' ? (wanted ?? (agents.size === 1 ? [...agents.keys()][0] : undefined)) : known
    if (name === undefined)
      throw new HoldpointError('config-invalid', `Say which agent conversation "${id}" is for: ${names}.`)
    const agent = agents.get(name)
    if (agent) return agent
    throw new HoldpointError(
      'agent-missing',
      `Conversation "${id}" is for agent "${name}", which is not here: there are ${names}.`,
    )
  }
}

export function keyOf({ tenant, id }: Address): string {
  return `${tenant}\u0000${id}`
}
