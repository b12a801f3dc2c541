/** Reads a space from the store: its state, and pages of its messages. */
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { emptySpaceView, spaceViewOf, type SpaceMessage, type SpaceView } from './space-view.ts'
import { isSpaceEvent } from '@holdpoint/core/internal/log/space-event'
import { spaceMachine, type SpaceState } from './space-machine.ts'

const PAGE = 256
/** How many events one page reads at most to find messages among other events. */
const FARTHEST = 20_000

/** Undefined when there is no such space. */
export async function loadSpace(store: Store, address: Address): Promise<SpaceState | undefined> {
  const loaded = await store.load(address)
  return loaded && spaceMachine.owns(loaded.agent) ? foldLoaded(spaceMachine, loaded) : undefined
}

/** The newest messages before a seq, with the events between them. Tool calls have their current status. */
export async function spacePage(
  store: Store,
  address: Address,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<SpaceView | undefined> {
  const state = await loadSpace(store, address)
  if (!state) return undefined
  if (state.erased) return { ...emptySpaceView, seq: state.seq, erased: state.erased }
  const end = Math.min(before ?? Infinity, state.seq + 1)
  const events = await eventsBefore(store, address, end, limit)
  if (end > state.seq) return spaceViewOf(shown(events), state.space, state.seq)
  // The outcomes of the page's tool calls may be in later events.
  const view = spaceViewOf(shown([...events, ...(await laterOutcomes(store, address, end, events))]), state.space)
  return { ...view, seq: end - 1, messages: view.messages.filter(({ seq }) => seq < end) }
}

/** The newest messages without the newest `offset` ones, oldest first. */
export async function spaceMessages(
  store: Store,
  address: Address,
  offset: number,
  limit: number,
): Promise<{ readonly state: SpaceState; readonly messages: readonly SpaceMessage[] } | undefined> {
  const state = await loadSpace(store, address)
  if (!state) return undefined
  const { messages } = spaceViewOf(shown(await eventsBefore(store, address, state.seq + 1, offset + limit)))
  return { state, messages: messages.slice(-(offset + limit), messages.length - offset) }
}

async function eventsBefore(store: Store, address: Address, before: number, messages: number): Promise<LogEvent[]> {
  let events: LogEvent[] = []
  for (;;) {
    const first = events[0]?.seq ?? before
    const at = events.flatMap(({ type }, index) => (isMessage(type) ? [index] : []))
    if (at.length >= messages) return events.slice(at.at(-messages))
    if (first <= 1 || events.length >= FARTHEST) return events
    const older = await store.readBack(address, first, PAGE)
    if (older.length === 0) return events
    events = [...older, ...events]
  }
}

async function laterOutcomes(
  store: Store,
  address: Address,
  from: number,
  page: readonly LogEvent[],
): Promise<readonly LogEvent[]> {
  const open = new Set(page.flatMap((event) => (event.type === 'tool.started' ? [event.toolCallId] : [])))
  for (const event of page) if (event.type === 'tool.done' || event.type === 'tool.error') open.delete(event.toolCallId)
  const later: LogEvent[] = []
  for (let after = from - 1; open.size > 0 && later.length < FARTHEST;) {
    const events = await store.read(address, after, PAGE)
    if (events.length === 0) break
    later.push(...events)
    after = events.at(-1)?.seq ?? after
    for (const event of events)
      if (event.type === 'tool.done' || event.type === 'tool.error') open.delete(event.toolCallId)
  }
  return later
}

function isMessage(type: LogEvent['type']): boolean {
  return type === 'message.posted' || type === 'tool.started'
}

function shown(events: readonly LogEvent[]) {
  return events.filter((event) => isSpaceEvent(event) || event.type === 'notices.delivered')
}
