/** Pages of turns for a screen, read from the store: the newest turns, or those before a seq. */
import { emptyView, viewOf, withEarlier } from '@holdpoint/core/internal/live/view'
import type { View } from '@holdpoint/core/internal/live/view-shape'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { isSpaceEvent } from '@holdpoint/core/internal/log/space-event'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'

const PAGE = 256

/** Undefined for a conversation without events, and for a space, which has a view of its own. */
export async function newestTurnPage(store: Store, address: Address, turns: number): Promise<View | undefined> {
  const loaded = await store.load(address)
  if (!loaded || !conversationMachine.owns(loaded.agent)) return undefined
  const state = foldLoaded(conversationMachine, loaded)
  const page = await turnsBefore(store, address, loaded.events, state.seq + 1, turns)
  return withEarlier(page.length > 0 ? viewOf(page) : { ...emptyView }, state)
}

/** The newest of the turns that began before the seq `before`. */
export async function earlierTurnPage(
  store: Store,
  address: Address,
  turns: number,
  before: number,
): Promise<View | undefined> {
  const page = await turnsBefore(store, address, [], before, turns)
  if (page.length === 0 && (await store.heads([address]))[0] === 0) return undefined
  if (page.some(isSpaceEvent)) return undefined
  return viewOf(page)
}

async function turnsBefore(
  store: Store,
  address: Address,
  known: readonly LogEvent[],
  before: number,
  turns: number,
): Promise<readonly LogEvent[]> {
  let events = known
  for (;;) {
    const first = events[0]?.seq ?? before
    const starts = events.flatMap(({ type }, index) => (type === 'turn.started' ? [index] : []))
    if (first <= 1 || starts.length >= turns) return events.slice(starts.at(-turns) ?? 0)
    const older = await store.readBack(address, first, PAGE)
    if (older.length === 0) return events
    events = [...older, ...events]
  }
}
