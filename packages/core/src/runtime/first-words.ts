/**
 * What conversations begin with, for lists of them. A log is only ever added to, so what was once read stays true: it is
 * kept for those that were asked for last, and no more of them than that.
 */
import { HoldpointError } from '../failure.ts'
import { agentOfLog } from '../log/agent-log.ts'
import { FIRST_EVENTS, firstWordsOf } from '../live/first-words.ts'
import type { Address, ConversationRow, Store } from '../log/store.ts'
import type { ListedConversation } from './runtime-options.ts'

const KEPT = 1000
/** How many are read at a time: enough to keep a server busy, few enough to leave others their turn. */
const GROUP = 20

export class FirstWords {
  readonly #store: Store
  readonly #known = new Map<string, string>()

  constructor(store: Store) {
    this.#store = store
  }

  async with(tenant: string, rows: readonly ConversationRow[]): Promise<readonly ListedConversation[]> {
    const listed: ListedConversation[] = []
    for (let from = 0; from < rows.length; from += GROUP) {
      const group = rows.slice(from, from + GROUP).map(async (row): Promise<ListedConversation> => {
        const firstWords = await this.#of({ tenant, id: row.id })
        return firstWords === undefined ? row : { ...row, firstWords }
      })
      listed.push(...(await Promise.all(group)))
    }
    return listed
  }

  /** Undefined where there is no message yet, and for the log of an autonomous agent, which begins without one. */
  async #of(address: Address): Promise<string | undefined> {
    if (agentOfLog(address.id) !== undefined) return undefined
    const key = JSON.stringify([address.tenant, address.id])
    const found = this.#known.get(key) ?? firstWordsOf(await this.#begin(address))
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
