/** The newest turns of a conversation as a person sees them, or those before a seq, read from the store. */
import { emptyView, viewOf, withEarlier } from '../live/view.ts'
import type { View } from '../live/view-shape.ts'
import type { LogEvent } from '../log/log-event.ts'
import { foldLoaded } from '../log/machine.ts'
import type { Address, Store } from '../log/store.ts'
import { isSpaceEvent } from '../log/space-event.ts'
import { conversationMachine } from '../turn/conversation-machine.ts'

const PAGE = 256

/** Undefined for a conversation without events, and for a space, which has a view of its own. */
export async function newestTurns(store: Store, address: Address, turns: number): Promise<View | undefined> {
  const loaded = await store.load(address)
  if (!loaded || !conversationMachine.owns(loaded.agent)) return undefined
  const state = foldLoaded(conversationMachine, loaded)
  const page = await turnsBefore(store, address, loaded.events, state.seq + 1, turns)
  return withEarlier(page.length > 0 ? viewOf(page) : { ...emptyView }, state)
}

/** The turns that began before `before`, the newest of them: an older page. */
export async function earlierTurns(
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
