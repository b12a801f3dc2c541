/**
 * Conversations that are due although their agent is not here: it was deleted, say, and may come back. There may be many,
 * and they come up at every look, so they are remembered by name: none is read again before its agent was found, an agent
 * is asked for every few seconds and not for each of them, and the operator is told once in a while.
 */
import type { Address } from '../log/store.ts'
import type { Ports } from '../ports.ts'
import { AgentMissing, type Agents } from './agents.ts'
import { keyOf } from './active-logs.ts'

const ASK_AGAIN_MS = 5000
const TELL_AGAIN_MS = 600_000
/** How many missing agents are asked for in one look. */
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
  /** By conversation: the agent it waits for. */
  #waiting = new Map<string, Missing>()
  readonly #missing = new Map<string, Missing>()

  constructor(agents: Agents, ports: Ports, tell: (error: unknown, conversation?: Address) => void) {
    this.#agents = agents
    this.#ports = ports
    this.#tell = tell
  }

  /** Those of what is due that are not known to wait for an agent, or wait no longer. */
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

  /** Whether that is why the conversation could not be helped. */
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
        `Agent "${name}"${where} is still not here, and has work waiting. Define it, and it goes on.`,
      ),
    )
  }
}
