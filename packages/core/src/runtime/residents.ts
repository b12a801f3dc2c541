/**
 * The conversations in memory: those somebody uses, those that are driven, and for a while those that were. Everything
 * else is in the store and costs nothing here, however long it waits.
 */
import type { Address, Store } from '../log/store.ts'
import { LiveConversation } from '../loop/live-conversation.ts'
import type { Surroundings } from '../loop/surroundings.ts'
import { Log } from '../loop/log.ts'
import type { LogOptions } from '../loop/log-options.ts'
import { belongsTo } from '../loop/whose.ts'
import type { Ports } from '../ports.ts'
import { SPACE } from '../space/space.ts'
import type { Agents } from './agents.ts'
import { Resident, type Neighbours } from './resident.ts'

export interface Household {
  readonly store: Store
  readonly ports: Ports
  readonly agents: Agents
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

/** One conversation's place in memory. It is taken before the conversation was read, and given up with it. */
interface Place {
  readonly loading: Promise<Resident>
  here?: Resident
}

interface Asked {
  /** It was read just now. */
  readonly fresh?: boolean
  /** It is wanted only if there is one. */
  readonly existing?: boolean
}

export class Residents {
  readonly #house: Household
  readonly #keep: Keep
  readonly #places = new Map<string, Place>()

  constructor(house: Household, keep: Keep) {
    this.#house = house
    this.#keep = keep
  }

  /** Reads it from the store unless it is here. `agent` is for a conversation that does not exist yet. */
  async get(address: Address, agent?: string): Promise<Resident> {
    for (;;) {
      const resident = await this.#get(address, agent)
      if (resident) return resident
    }
  }

  /** Undefined when the one who was here left before it was known whether it is wanted. */
  async #get(
    address: Address,
    agent: string | undefined,
    { fresh = false, existing = false }: Asked = {},
  ): Promise<Resident | undefined> {
    for (let asked = fresh; ;) {
      const was = this.#places.has(keyOf(address))
      const resident = await this.#once(address, agent)
      // Somebody asked before anything was said (perhaps the answer took its time), and tidings may be lost.
      if (was && resident.log.state.seq === 0) await resident.log.refresh()
      // Another one may be in its place by now: only the one that is there is judged.
      if (!this.keeps(resident)) return undefined
      const here = resident.live.agent.name
      const known = resident.log.state.agent
      // A space is no agent's: what is wanted of it by way of a conversation is refused by what it decides. One that
      // somebody was about to make is nothing yet, and no place to say something.
      const nothing = known === '' && here === SPACE && !existing
      const wanted = known === SPACE ? SPACE : (agent ?? (nothing ? undefined : here))
      if (here === (known || wanted) && here === wanted) {
        if (!was || asked || !this.#house.agents.mayChange(here)) return resident
        asked = true // once: whatever it is told, two who ask at the same time must not drive each other out
        if (await this.#upToDate(resident)) return resident
        continue
      }
      if (here === known || !resident.idle) throw belongsTo(address.id, known || here, wanted ?? '')
      this.#forget(resident) // nobody said anything yet when it came here
    }
  }

  /**
   * Whether its agent is still defined as it was. Otherwise it leaves memory, and comes back with the new definition. One
   * that is at work goes on as it began: what was approved is bound to the definition of its tool, wherever it runs.
   */
  async #upToDate(resident: Resident): Promise<boolean> {
    if (!resident.idle) return true
    const { agent, log } = resident.live
    if ((await this.#house.agents.isCurrent(log.address, agent)) || !resident.idle) return true
    this.#forget(resident)
    return false
  }

  /** Undefined when nobody ever wrote to it. */
  async find(address: Address, agent?: string): Promise<Resident | undefined> {
    for (;;) {
      let fresh = false
      if (!this.#places.has(keyOf(address))) {
        const log = await this.#read(address)
        if (log.state.seq === 0) return undefined
        fresh = !this.#places.has(keyOf(address))
        if (fresh) void this.#once(address, agent, log)
      }
      const resident = await this.#get(address, agent, { fresh, existing: true })
      if (resident) return resident.log.state.seq === 0 ? undefined : resident
    }
  }

  /** Whether it is still the one in memory: it may have left between two steps of whoever asked for it. */
  keeps(resident: Resident): boolean {
    return this.peek(resident.log.address) === resident
  }

  /**
   * A place is given up in two ways only: reading failed, or the one who came of it leaves. So there is never a second one
   * for the same conversation, and whoever left is not handed out again.
   */
  #once(address: Address, agent: string | undefined, read?: Log): Promise<Resident> {
    const key = keyOf(address)
    const taken = this.#places.get(key)
    if (taken) return taken.loading
    const place: Place = {
      loading: this.#load(address, agent, read).then((resident) => {
        place.here = resident
        this.#house.moved(resident)
        return resident
      }),
    }
    this.#places.set(key, place)
    place.loading.catch(() => this.#places.delete(key))
    return place.loading
  }

  #forget(resident: Resident): void {
    if (!this.keeps(resident)) return
    this.#places.delete(keyOf(resident.log.address))
    resident.leave()
    this.#house.left(resident)
  }

  /** Only if it is in memory. */
  peek(address: Address): Resident | undefined {
    return this.#places.get(keyOf(address))?.here
  }

  *[Symbol.iterator](): Iterator<Resident> {
    for (const { here } of this.#places.values()) if (here) yield here
  }

  /** Lets go of what nobody needed for a while, and of the longest unused when there are too many. */
  tidy(): void {
    const now = this.#house.ports.monotonic()
    const idle = [...this].filter((resident) => resident.idle).toSorted((a, b) => a.usedAt - b.usedAt)
    for (const [index, resident] of idle.entries()) {
      if (index >= idle.length - this.#keep.idle && now - resident.usedAt < this.#keep.idleMs) break
      this.#forget(resident)
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
    const agent = await this.#house.agents.of(address, log.state.agent, wanted)
    const live = new LiveConversation(agent, log, this.#house.surroundings(address))
    if (this.#places.size > 2 * this.#keep.idle) this.tidy()
    return new Resident(live, this.#house.neighbours(address))
  }
}

export function keyOf({ tenant, id }: Address): string {
  return `${tenant}\u0000${id}`
}
