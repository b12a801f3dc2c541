/**
 * Reads the logs of a tenant, newest conversation first, as far as one request may read. The cost of one request has a limit
 * that does not depend on the size of the store; `next` is where the following request goes on.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import type { Address, ConversationRow, ListQuery, Store } from '@holdpoint/core/internal/log/store'

/** How much one request reads. */
const MOST_EVENTS = 20_000
const MOST_ROWS = 2_000
/** Of one conversation, only the newest events are read. */
export const MOST_EVENTS_OF_ONE = 5_000
const ROWS = 100
const EVENTS = 500
/** Logs that are read at the same time, if they are short. A database on another machine takes its time for each. */
const AT_ONCE = 16
const EVENTS_AT_ONCE = 2_000

export interface Scanned {
  /** How many conversations were read. */
  readonly conversations: number
  readonly events: number
  /** Conversations whose log is damaged. `verify` says what is wrong. */
  readonly unreadable: number
  /** The `after` of the request that goes on. Undefined: everything was read. */
  readonly next: string | undefined
}

export interface ReadLog {
  readonly row: ConversationRow
  readonly events: readonly LogEvent[]
  /** Older events were not read. */
  readonly cut: boolean
}

export interface ScanOptions {
  readonly query: Omit<ListQuery, 'limit'>
  /** Whether the log is read. A row costs little, a log does not. */
  readonly wants: (row: ConversationRow) => boolean | Promise<boolean>
  /** Returns whether to go on. */
  readonly visit: (log: ReadLog) => boolean | Promise<boolean>
}

/** A page of the list, and the last conversation of it that was looked at. */
interface Place {
  readonly page?: string
  readonly past?: string
}

export async function scanLogs(store: Store, { query, wants, visit }: ScanOptions): Promise<Scanned> {
  const { after, ...fields } = query
  let { page, past } = after === undefined ? {} : readPlace(after)
  let [conversations, events, rows, unreadable] = [0, 0, 0, 0]
  const scanned = (next: string | undefined): Scanned => ({ conversations, events, unreadable, next })
  for (;;) {
    const { items, next } = await store.list({ ...fields, limit: ROWS, ...(page !== undefined && { after: page }) })
    // The conversation may have been erased since: then the page is looked at again.
    const from = items.findIndex(({ id }) => id === past) + 1
    for (const some of batches(items.slice(from))) {
      const logs = await Promise.all(
        some.map(async (row) =>
          row.agent !== SPACE && (await wants(row))
            ? readNewest(store, { tenant: fields.tenant, id: row.id }, row)
            : 'unwanted',
        ),
      )
      for (const [nth, row] of some.entries()) {
        const log = logs[nth]
        rows++
        past = row.id
        if (log === undefined) unreadable++
        else if (log !== 'unwanted') {
          conversations++
          events += log.events.length
          if (!(await visit(log))) return scanned(placeAfter(row, { items, next, page }))
        }
        if (events >= MOST_EVENTS || rows >= MOST_ROWS) return scanned(placeAfter(row, { items, next, page }))
      }
    }
    if (next === undefined) return scanned(undefined)
    page = next
    past = undefined
  }
}

function batches(rows: readonly ConversationRow[]): readonly (readonly ConversationRow[])[] {
  const all: ConversationRow[][] = []
  let events = Infinity
  for (const row of rows) {
    const last = all.at(-1)
    events += row.seq
    if (last && last.length < AT_ONCE && events <= EVENTS_AT_ONCE) last.push(row)
    else {
      all.push([row])
      events = row.seq
    }
  }
  return all
}

/** Undefined for a log that is damaged: it must not hide the others. */
export async function readNewest(store: Store, address: Address, row: ConversationRow): Promise<ReadLog | undefined> {
  const events: LogEvent[] = []
  try {
    while (events.length < MOST_EVENTS_OF_ONE) {
      const older = await store.readBack(address, events[0]?.seq ?? row.seq + 1, EVENTS)
      if (older.length === 0) break
      events.unshift(...older)
      if (older[0]?.seq === 1) break
    }
  } catch (error) {
    if (HoldpointError.is(error) && error.code === 'history-impossible') return undefined
    throw error
  }
  return { row, events, cut: (events[0]?.seq ?? 1) > 1 }
}

interface Looked {
  readonly items: readonly ConversationRow[]
  readonly next: string | undefined
  readonly page: string | undefined
}

function placeAfter(row: ConversationRow, { items, next, page }: Looked): string | undefined {
  if (items.at(-1)?.id === row.id) return next === undefined ? undefined : JSON.stringify([next])
  return JSON.stringify([page ?? null, row.id])
}

function readPlace(after: string): Place {
  try {
    const given: unknown = JSON.parse(after)
    if (Array.isArray(given) && given.length <= 2) {
      const [page, past] = given as readonly unknown[]
      const pageFits = page === null || typeof page === 'string'
      if (pageFits && (past === undefined || typeof past === 'string'))
        return { ...(typeof page === 'string' && { page }), ...(typeof past === 'string' && { past }) }
    }
  } catch {
    // It is refused below.
  }
  throw new HoldpointError('config-invalid', '"after" must be the `next` of an earlier page.')
}
