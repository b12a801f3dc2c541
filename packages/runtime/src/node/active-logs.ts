/**
 * The logs in memory: those that a caller uses or a driver works on, and for a while those that were used last. Every other
 * log is only in the store, and costs no memory however long it waits.
 *
 * An entry is made before its log is read, and removed only when reading failed or the active log leaves memory. So there is
 * never a second active log for one address.
 */
import type { Address } from '@holdpoint/core/internal/log/store'
import { ActiveConversation } from '../conversation/active-conversation.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import type { LogOptions } from '../log/log-options.ts'
import { OtherMachine } from '../log/other-machine.ts'
import type { LogHost } from '../drive/log-host.ts'
import { otherAgentOwns } from '../conversation/conversation-agent.ts'
import type { Agents } from './agents.ts'
import type { Extension, OtherActiveLog } from './extension.ts'

export type AnyActiveLog = ActiveConversation | OtherActiveLog

export interface Keep {
  /** How many idle logs stay in memory. */
  readonly idle: number
  /** How long an idle log stays in memory. */
  readonly idleMs: number
}

interface Entry {
  readonly loading: Promise<AnyActiveLog>
  active?: AnyActiveLog
}

/** Only the first look compares the agent with its current definition: two callers must not evict each other's log for ever. */
export type Look = 'first' | 'again'

/** Called when a log enters memory and when it leaves. */
export interface ActiveLogListener {
  entered(active: AnyActiveLog): void
  left(active: AnyActiveLog): void
}

export class ActiveLogs {
  readonly #host: LogHost & ActiveLogListener
  readonly #agents: Agents
  readonly #extension: Extension | undefined
  readonly #options: LogOptions
  readonly #keep: Keep
  readonly #entries = new Map<string, Entry>()

  constructor(
    host: LogHost & ActiveLogListener,
    agents: Agents,
    extension: Extension | undefined,
    options: LogOptions,
    keep: Keep,
  ) {
    this.#host = host
    this.#agents = agents
    this.#extension = extension
    this.#options = options
    this.#keep = keep
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * The conversation at this address. `agent` is for one that does not exist yet. Throws `OtherMachine` for a space.
   * Undefined when the active log left memory meanwhile: ask again.
   */
  async conversation(address: Address, agent: string | undefined, look: Look): Promise<ActiveConversation | undefined> {
    const known = this.#entries.has(keyOf(address))
    const active = await this.#enter(address, async () => this.#activate(await this.#read(address), agent))
    if (!(active instanceof ActiveConversation)) {
      if (active.log.state.seq > 0) throw new OtherMachine(address)
      this.#remove(active) // another caller was about to make a log of another kind with this id
      return undefined
    }
    // The log may have begun since it was read: notifications may be lost.
    if (known && active.log.state.seq === 0) await active.log.refresh()
    if (!this.keeps(active)) return undefined
    if (!this.#isFor(active, agent)) return undefined
    return known && look === 'first' ? this.#current(active) : active
  }

  /** Whether the active conversation has this agent. If not, and if it is idle, it leaves memory. */
  #isFor(active: ActiveConversation, agent: string | undefined): boolean {
    const here = active.agent.name
    const owner = active.log.state.agent
    const wanted = agent ?? here
    if (here === wanted && (owner === '' || owner === here)) return true
    if (here === owner || !active.idle) throw otherAgentOwns(active.log.id, owner === '' ? here : owner, wanted)
    this.#remove(active) // it was read before its first message named the agent
    return false
  }

  /**
   * The active conversation, unless its agent was redefined since it entered memory. Then it leaves memory, and is loaded
   * with the new definition. A busy conversation keeps the old one until it is idle.
   */
  async #current(active: ActiveConversation): Promise<ActiveConversation | undefined> {
    if (!this.#agents.mayChange(active.agent.name) || !active.idle) return active
    if ((await this.#agents.isCurrent(active.log.address, active.agent)) || !active.idle) return active
    this.#remove(active)
    return undefined
  }

  /** The log of the extension at this address, which may be empty. Throws `OtherMachine` for a conversation. */
  async other(address: Address): Promise<OtherActiveLog | undefined> {
    const active = await this.#enter(address, () => this.#loadOther(address))
    if (!(active instanceof ActiveConversation)) return this.keeps(active) ? active : undefined
    if (active.log.state.seq === 0) await active.log.refresh()
    if (active.log.state.seq > 0 || !active.idle) throw new OtherMachine(address)
    this.#remove(active)
    return undefined
  }

  /** The log at this address, of any kind; null when it has no events. Undefined: ask again. */
  async existing(address: Address, agent: string | undefined, look: Look): Promise<AnyActiveLog | null | undefined> {
    const key = keyOf(address)
    const entered = this.#entries.get(key)
    if (entered) {
      const active = await entered.loading
      if (!(active instanceof ActiveConversation)) {
        // Another process may have begun it since it was read, and the notification may be lost.
        if (active.log.state.seq === 0) await active.log.refresh()
        return active.log.state.seq > 0 ? active : null
      }
    } else {
      const log = await this.#readIfConversation(address)
      if (!log) return this.other(address)
      if (log.state.seq === 0) return null
      if (!this.#entries.has(key)) {
        const active = await this.#enter(address, () => this.#activate(log, agent))
        return this.keeps(active) ? active : undefined
      }
    }
    const active = await this.conversation(address, agent, look)
    return active?.log.state.seq === 0 ? null : active
  }

  /** Whether this active log is the one in memory. */
  keeps(active: AnyActiveLog): boolean {
    return this.peek(active.log.address) === active
  }

  /** The active log, if it is in memory. */
  peek(address: Address): AnyActiveLog | undefined {
    return this.#entries.get(keyOf(address))?.active
  }

  *[Symbol.iterator](): Iterator<AnyActiveLog> {
    for (const { active } of this.#entries.values()) if (active) yield active
  }

  /** Lets every driver look for work: the lease is valid again. */
  wake(): void {
    for (const active of this) active.wake()
  }

  /** Drops logs that have been idle for a while, and the least recently used ones when there are too many. */
  tidy(): void {
    const now = this.#host.ports.monotonic()
    const idle = [...this].filter((active) => active.idle).toSorted((a, b) => a.usedAt - b.usedAt)
    for (const [index, active] of idle.entries()) {
      if (index >= idle.length - this.#keep.idle && now - active.usedAt < this.#keep.idleMs) break
      this.#remove(active)
    }
  }

  #enter(address: Address, load: () => Promise<AnyActiveLog>): Promise<AnyActiveLog> {
    const key = keyOf(address)
    const taken = this.#entries.get(key)
    if (taken) return taken.loading
    const entry: Entry = {
      loading: load().then((active) => {
        entry.active = active
        this.#host.entered(active)
        return active
      }),
    }
    this.#entries.set(key, entry)
    entry.loading.catch(() => this.#entries.delete(key))
    if (this.#entries.size > 2 * this.#keep.idle) this.tidy()
    return entry.loading
  }

  #remove(active: AnyActiveLog): void {
    if (!this.keeps(active)) return
    this.#entries.delete(keyOf(active.log.address))
    active.leave()
    this.#host.left(active)
  }

  async #read(address: Address): Promise<ConversationLog> {
    const log = new ConversationLog(address, this.#host.store, this.#host.ports, this.#options)
    await log.refresh()
    return log
  }

  async #readIfConversation(address: Address): Promise<ConversationLog | undefined> {
    try {
      return await this.#read(address)
    } catch (error) {
      if (error instanceof OtherMachine) return undefined
      throw error
    }
  }

  async #activate(log: ConversationLog, wanted: string | undefined): Promise<ActiveConversation> {
    const agent = await this.#agents.of(log.address, log.state.agent, wanted)
    return new ActiveConversation(agent, log, this.#host)
  }

  async #loadOther(address: Address): Promise<AnyActiveLog> {
    if (!this.#extension) throw new OtherMachine(address)
    return this.#extension.load(address, this.#options)
  }
}

export function keyOf({ tenant, id }: Address): string {
  return `${tenant}\u0000${id}`
}
