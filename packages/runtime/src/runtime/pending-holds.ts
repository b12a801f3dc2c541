/** Open holds across all conversations: found in the store's rows, read from the logs. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Address, Page, PendingQuery, PendingRow } from '@holdpoint/core/internal/log/store'
import { absenceOf } from '../conversation/absence.ts'
import type { Engine } from '../node/engine.ts'
import { heldCalls } from '../session/result.ts'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { mayResolve } from '@holdpoint/core/internal/turn/approvers'
import { askersOf } from '@holdpoint/core/internal/turn/call'
import type { Hold } from '@holdpoint/core/internal/turn/hold'
import { isAskerStill, type Absence } from '@holdpoint/core/internal/turn/resolve'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { HoldViewer } from '@holdpoint/core/internal/turn/hold-rights'
import { pendingHold } from './pending-hold.ts'
import type { PendingHold } from './runtime-options.ts'

/** How many conversations are read at a time: enough to keep a server busy, few enough to leave others their turn. */
const GROUP = 20

/**
 * A conversation whose log does not fold is reported, and must not hide the others: its holds cannot be answered. What was
 * resolved between the two reads is not shown, and neither is a question to a person who takes no part there any more.
 */
export async function pendingHolds(
  engine: Pick<Engine, 'store' | 'problem' | 'isMember'>,
  query: PendingQuery,
  caller: HoldViewer | undefined,
): Promise<Page<PendingHold>> {
  const { store } = engine
  const { items, next } = await store.pending(query)
  const { tenant } = query
  const ids = [...new Set(items.map(({ conversationId }) => conversationId))]
  const holds = new Map<string, readonly Held[]>()
  const read = async (id: string): Promise<void> => {
    const address = { tenant, id }
    holds.set(id, await holdsOf(engine, address))
  }
  for (let from = 0; from < ids.length; from += GROUP) await Promise.all(ids.slice(from, from + GROUP).map(read))
  const at = (row: PendingRow): Held | undefined =>
    holds.get(row.conversationId)?.find(({ call }) => call.callId === row.callId)
  const shown = await Promise.all(
    items.map(async (row) => {
      const held = at(row)
      if (!held) return []
      const { call, hold, state } = held
      if (!caller) return [pendingHold(row, held)]
      const address = { tenant, id: row.conversationId }
      const absent = await absenceOf(engine, address, state, caller.by, askersOf(call))
      return isHiddenFrom(hold, caller, absent) ? [] : [pendingHold(row, held, { ...caller, absent })]
    }),
  )
  return { items: shown.flat(), next }
}

/** A person who asked, and was removed since. One who is named, or may resolve every hold, needs not take part. */
function isHiddenFrom({ to, askedBy = [] }: Hold, { by, kinds, now }: HoldViewer, absent: Absence): boolean {
  if (by?.access !== 'own' || kinds === undefined) return false
  if (!askedBy.some((author) => author.by === by.id && author.kind !== 'agent')) return false
  return !isAskerStill(askedBy, by.id, absent) && !(to && mayResolve([to], { by, now }).ok)
}

type Held = ReturnType<typeof heldCalls>[number] & { readonly state: Conversation }

/** An error of the store is thrown: only a conversation that cannot be read is left out. */
async function holdsOf(engine: Parameters<typeof pendingHolds>[0], address: Address): Promise<readonly Held[]> {
  const loaded = await engine.store.load(address).catch((error: unknown) => {
    if (!HoldpointError.is(error) || error.code !== 'history-impossible') throw error
    engine.problem(error, address)
  })
  if (!loaded) return []
  try {
    const state = foldLoaded(conversationMachine, loaded)
    return heldCalls(state).map((held) => ({ ...held, state }))
  } catch (error) {
    engine.problem(error, address)
    return []
  }
}
