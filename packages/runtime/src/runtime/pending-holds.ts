/** Open holds across all conversations: found in the store's rows, read from the logs. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Address, Page, PendingQuery, PendingRow, Store } from '@holdpoint/core/internal/log/store'
import { heldCalls } from '../session/result.ts'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import type { HoldViewer } from '@holdpoint/core/internal/turn/hold-rights'
import { pendingHold } from './pending-hold.ts'
import type { PendingHold } from './runtime-options.ts'

/** How many conversations are read at a time: enough to keep a server busy, few enough to leave others their turn. */
const GROUP = 20

/** `unreadable` is told of a conversation whose log does not fold: its holds cannot be answered, and it must not hide the others. */
export async function pendingHolds(
  store: Store,
  query: PendingQuery,
  caller: HoldViewer | undefined,
  unreadable: (error: unknown, address: Address) => void,
): Promise<Page<PendingHold>> {
  const { items, next } = await store.pending(query)
  const { tenant } = query
  const ids = [...new Set(items.map(({ conversationId }) => conversationId))]
  const holds = new Map<string, readonly Held[]>()
  const read = async (id: string): Promise<void> => {
    const address = { tenant, id }
    holds.set(id, await holdsOf(store, address, (error) => unreadable(error, address)))
  }
  for (let from = 0; from < ids.length; from += GROUP) await Promise.all(ids.slice(from, from + GROUP).map(read))
  // What was answered between the two questions is not shown.
  return { items: items.flatMap((row) => shown(row, holds.get(row.conversationId) ?? [], caller)), next }
}

type Held = ReturnType<typeof heldCalls>[number]

/** An error of the store is thrown: only a conversation that cannot be read is left out. */
async function holdsOf(store: Store, address: Address, unreadable: (error: unknown) => void): Promise<readonly Held[]> {
  const loaded = await store.load(address).catch((error: unknown) => {
    if (!HoldpointError.is(error) || error.code !== 'history-impossible') throw error
    unreadable(error)
  })
  if (!loaded) return []
  try {
    return heldCalls(foldLoaded(conversationMachine, loaded))
  } catch (error) {
    unreadable(error)
    return []
  }
}

function shown(row: PendingRow, holds: readonly Held[], caller: HoldViewer | undefined): PendingHold[] {
  const held = holds.find(({ call }) => call.callId === row.callId)
  return held ? [pendingHold(row, held, caller)] : []
}
