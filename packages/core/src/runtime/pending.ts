/** Open holds across all conversations: found in the store's rows, read from the logs. */
import { HoldpointError } from '../failure.ts'
import { foldLoaded } from '../log/machine.ts'
import type { Address, Page, PendingQuery, PendingRow, Store } from '../log/store.ts'
import { openHolds, type HeldCall } from '../loop/result.ts'
import { conversationMachine } from '../turn/conversation-machine.ts'
import type { PendingHold } from './runtime-options.ts'

/** How many conversations are read at a time: enough to keep a server busy, few enough to leave others their turn. */
const GROUP = 20

/** `unreadable` is told of a conversation whose log does not fold: its holds cannot be answered, and it must not hide the others. */
export async function pending(
  store: Store,
  query: PendingQuery,
  unreadable: (error: unknown, address: Address) => void,
): Promise<Page<PendingHold>> {
  const { items, next } = await store.pending(query)
  const { tenant } = query
  const ids = [...new Set(items.map(({ conversationId }) => conversationId))]
  const holds = new Map<string, readonly HeldCall[]>()
  const read = async (id: string): Promise<void> => {
    const address = { tenant, id }
    holds.set(id, await holdsOf(store, address, (error) => unreadable(error, address)))
  }
  for (let from = 0; from < ids.length; from += GROUP) await Promise.all(ids.slice(from, from + GROUP).map(read))
  // What was answered between the two questions is not shown.
  return { items: items.flatMap((row) => shown(row, holds.get(row.conversationId) ?? [])), next }
}

/** An error of the store is thrown: only a conversation that cannot be read is left out. */
async function holdsOf(
  store: Store,
  address: Address,
  unreadable: (error: unknown) => void,
): Promise<readonly HeldCall[]> {
  const loaded = await store.load(address).catch((error: unknown) => {
    if (!HoldpointError.is(error) || error.code !== 'history-impossible') throw error
    unreadable(error)
  })
  if (!loaded) return []
  try {
    return openHolds(foldLoaded(conversationMachine, loaded))
  } catch (error) {
    unreadable(error)
    return []
  }
}

function shown({ conversationId, agent, callId, heldAt }: PendingRow, holds: readonly HeldCall[]): PendingHold[] {
  const hold = holds.find((each) => each.callId === callId)
  return hold ? [{ conversationId, agent, heldAt, ...hold }] : []
}
