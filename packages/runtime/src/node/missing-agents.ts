/**
 * Due conversations whose agent is missing in this process, for example because it was deleted. There may be many, and they
 * are due at every look. So they are kept by the name of the agent: `agentFor` is called once every few seconds per agent,
 * no conversation is read before its agent is found, and the operator gets a report from time to time.
 */
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { AgentMissing, type Agents } from './agents.ts'
import { keyOf } from './active-logs.ts'

const ASK_AGAIN_MS = 5000
const TELL_AGAIN_MS = 600_000
/** How many missing agents one look asks for. */
const ASK = 20

interface Missing {
  readonly tenant: string
  readonly name: string
  askAt: number
  tellAt: number
}

export class MissingAgents {
  readonly #agents: Agents
  readonly #ports: Ports
  readonly #tell: (error: unknown, conversation?: Address) => void
  /** By conversation: the agent that it waits for. */
  #waiting = new Map<string, Missing>()
  readonly #missing = new Map<string, Missing>()

  constructor(agents: Agents, ports: Ports, tell: (error: unknown, conversation?: Address) => void) {
    this.#agents = agents
    this.#ports = ports
    this.#tell = tell
  }

  /** The due conversations without those that wait for a missing agent. */
  async without(due: readonly Address[]): Promise<readonly Address[]> {
    if (this.#waiting.size === 0) return due
    const still = new Map<string, Missing>()
    for (const address of due) {
      const waits = this.#waiting.get(keyOf(address))
      if (waits) still.set(keyOf(address), waits)
    }
    this.#waiting = still
    const wanted = new Set(still.values())
    for (const [key, missing] of this.#missing) if (!wanted.has(missing)) this.#missing.delete(key)
    const now = this.#ports.monotonic()
    const soon = [...wanted].filter(({ askAt }) => askAt <= now).toSorted((a, b) => a.askAt - b.askAt)
    await Promise.all(soon.slice(0, ASK).map((missing) => this.#ask(missing)))
    return due.filter((address) => !this.#waiting.has(keyOf(address)))
  }

  /** Whether the error says that the agent is missing. Then the conversation waits for the agent from now on. */
  took(error: unknown, address: Address): boolean {
    if (!(error instanceof AgentMissing)) return false
    const now = this.#ports.monotonic()
    const key = keyOf({ tenant: address.tenant, id: error.agent })
    const missing = this.#missing.get(key) ?? { tenant: address.tenant, name: error.agent, askAt: 0, tellAt: -Infinity }
    missing.askAt = now + ASK_AGAIN_MS
    this.#missing.set(key, missing)
    this.#waiting.set(keyOf(address), missing)
    if (now >= missing.tellAt) {
      missing.tellAt = now + TELL_AGAIN_MS
      this.#tell(error, address)
    }
    return true
  }

  async #ask(missing: Missing): Promise<void> {
    missing.askAt = this.#ports.monotonic() + ASK_AGAIN_MS
    const { tenant, name } = missing
    try {
      if (!(await this.#agents.find(tenant, name))) return this.#tellAgain(missing)
    } catch (error) {
      return this.#tell(error)
    }
    for (const [key, each] of this.#waiting) if (each === missing) this.#waiting.delete(key)
    this.#missing.delete(keyOf({ tenant, id: name }))
  }

  #tellAgain(missing: Missing): void {
    const now = this.#ports.monotonic()
    if (now < missing.tellAt) return
    missing.tellAt = now + TELL_AGAIN_MS
    const { tenant, name } = missing
    const where = tenant === '' ? '' : ` of tenant "${tenant}"`
    this.#tell(
      new AgentMissing(
        name,
        `Agent "${name}"${where} is still missing, and its conversations have work. Define it, and they continue.`,
      ),
    )
  }
}
