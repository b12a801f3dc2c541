/** What waits for somebody, across all conversations: found in the store's rows, told from the logs. */
import type { Address, Page, PendingQuery, PendingRow, Store } from '../log/store.ts'
import { openHolds, type HeldCall } from '../loop/result.ts'
import { fromBase } from '../turn/base.ts'
import { fold } from '../turn/turn.ts'
import { emptyConversation } from '../turn/turn-state.ts'
import type { PendingHold } from './runtime-options.ts'

export async function pending(store: Store, query: PendingQuery): Promise<Page<PendingHold>> {
  const { items, next } = await store.pending(query)
  const { tenant } = query
  const holds = new Map<string, readonly HeldCall[]>()
  for (const id of new Set(items.map(({ conversationId }) => conversationId)))
    holds.set(id, await holdsOf(store, { tenant, id }))
  // What was answered between the two questions is not shown.
  return { items: items.flatMap((row) => shown(row, holds.get(row.conversationId) ?? [])), next }
}

async function holdsOf(store: Store, address: Address): Promise<readonly HeldCall[]> {
  const loaded = await store.load(address)
  if (!loaded) return []
  return openHolds(fold(loaded.events, loaded.base ? fromBase(loaded.base.seq, loaded.base.state) : emptyConversation))
}

function shown({ conversationId, agent, callId, heldAt }: PendingRow, holds: readonly HeldCall[]): PendingHold[] {
  const hold = holds.find((each) => each.callId === callId)
  return hold ? [{ conversationId, agent, heldAt, ...hold }] : []
}
