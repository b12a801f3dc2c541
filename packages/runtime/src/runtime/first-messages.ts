/**
 * The beginning of the first message of conversations, for lists. Events never change, so the newest thousand are kept in
 * memory.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import { FIRST_EVENTS, firstMessageOf } from '@holdpoint/core/internal/live/first-message'
import type { Address, ConversationRow, Store } from '@holdpoint/core/internal/log/store'
import type { ListedConversation } from './runtime-options.ts'

const KEPT = 1000
/** How many are read at a time: enough to keep a server busy, few enough to leave others their turn. */
const GROUP = 20

export class FirstMessages {
  readonly #store: Store
  readonly #known = new Map<string, string>()

  constructor(store: Store) {
    this.#store = store
  }

  async with(tenant: string, rows: readonly ConversationRow[]): Promise<readonly ListedConversation[]> {
    const listed: ListedConversation[] = []
    for (let from = 0; from < rows.length; from += GROUP) {
      const group = rows.slice(from, from + GROUP).map(async (row): Promise<ListedConversation> => {
        const firstMessage = await this.#of({ tenant, id: row.id })
        return firstMessage === undefined ? row : { ...row, firstMessage }
      })
      listed.push(...(await Promise.all(group)))
    }
    return listed
  }

  /** Undefined where there is no message yet, and for the log of an autonomous agent, which begins without one. */
  async #of(address: Address): Promise<string | undefined> {
    if (agentOfLog(address.id) !== undefined) return undefined
    const key = JSON.stringify([address.tenant, address.id])
    const found = this.#known.get(key) ?? firstMessageOf(await this.#begin(address))
    if (found === undefined) return undefined
    this.#known.delete(key)
    this.#known.set(key, found)
    const [oldest] = this.#known.keys()
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest)
    return found
  }

  /** A log that cannot be read must not hide the others. */
  async #begin(address: Address): Promise<Awaited<ReturnType<Store['read']>>> {
    try {
      return await this.#store.read(address, 0, FIRST_EVENTS)
    } catch (error) {
      if (HoldpointError.is(error) && error.code === 'history-impossible') return []
      throw error
    }
  }
}
