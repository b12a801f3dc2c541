/**
 * Marks the conversations of a store that was restored from a backup, before any runtime opens it. Events after the backup are
 * lost: without the mark, a call that ran after the backup would run again. See `core/src/turn/restored.ts` for what the mark
 * does. It may be repeated after a crash: a second mark adds nothing that the first did not.
 */
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { openCalls } from '@holdpoint/core/internal/turn/turn'
import { decideRestored } from '@holdpoint/core/internal/turn/restored'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { withEvents } from '../log/decision-events.ts'

export interface MarkedRestored {
  /** All conversations of the store. */
  readonly conversations: number
  /** Those with work, holds, messages that wait, plans or notices. */
  readonly marked: number
  /** Calls that may have run after the backup. */
  readonly inDoubt: number
  /** Holds that are asked about again. */
  readonly held: number
}

const PAGE = 1000
const LANES = 64

export async function markRestored(store: Store, ports: Ports): Promise<MarkedRestored> {
  const total = { conversations: 0, marked: 0, inDoubt: 0, held: 0 }
  for (let after: string | undefined; ;) {
    const page = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
    total.conversations += page.items.length
    const waiting = page.items.filter(({ agent }) => conversationMachine.owns(agent)).values()
    // Stores commit appends together that come at the same time.
    const lane = async (): Promise<void> => {
      for (const address of waiting) {
        const marked = await mark(address, store, ports)
        if (!marked) continue
        total.marked++
        total.inDoubt += openCalls(marked.turn).filter(({ at }) => at === 'running').length
        total.held += openCalls(marked.turn).filter(({ at }) => at === 'held').length + marked.waiting.size
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    if (page.next === undefined) return total
    after = page.next
  }
}

async function mark({ tenant, id }: Address, store: Store, ports: Ports): Promise<Conversation | undefined> {
  // Without a node: the log gets no owner, and the first runtime that opens the store drives it.
  const log = new ConversationLog({ tenant, id }, store, ports)
  await log.refresh()
  const { events } = await log.change((state) => withEvents(decideRestored(state)))
  return events.length > 0 ? log.state : undefined
}
