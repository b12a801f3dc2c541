/**
 * Appends for cases, with defaults for everything that a case does not set. The events have no meaning, because a store does not
 * read them.
 */
import type {
  Address,
  Append,
  Appended,
  Derived,
  EventBody,
  HoldRow,
  Json,
  Loaded,
  LogEvent,
  NewEvent,
  Store,
} from '@holdpoint/core'
import { followsAt } from './at-head.ts'
import { holds, same } from './expect.ts'

export interface Draft extends Partial<Omit<Derived, 'holds'>> {
  readonly tenant?: string
  readonly events?: readonly NewEvent[]
  /** The number of events, if their content does not matter. */
  readonly many?: number
  readonly at?: number
  readonly holds?: readonly HoldRow[]
  readonly mark?: string
  /** Default: the hash of the batch that ends at the expected seq. */
  readonly follows?: string
  readonly epoch?: number
  readonly node?: string
  readonly key?: string
  readonly erase?: true
}

export type Written = Extract<Appended, { readonly result: 'ok' }>

/** A realistic time of an event. */
export const NOON: number = Date.UTC(2030, 0, 1, 12)

let marks = 0

export function draft(id: string, expectedSeq: number, given: Draft = {}): Append {
  const { tenant = '', many = 1, at = NOON, mark = `mark-${++marks}`, epoch, node, key, erase } = given
  const { follows = followsAt(expectedSeq) } = given
  const { agent = 'desk', status = 'idle', wakeAt, base, holds: rows = [], labels, hidden } = given
  return {
    to: { tenant, id },
    expectedSeq,
    follows,
    mark,
    events: given.events ?? notes(many, mark),
    at,
    rows: {
      agent,
      status,
      wakeAt,
      base,
      holds: rows,
      ...(labels === undefined ? {} : { labels }),
      ...(hidden === undefined ? {} : { hidden }),
    },
    ...(epoch === undefined ? {} : { epoch }),
    ...(node === undefined ? {} : { node }),
    ...(key === undefined ? {} : { key }),
    ...(erase === undefined ? {} : { erase }),
  }
}

export function note(value: Json): EventBody {
  return { type: 'state.changed', plugin: 'conformance', value }
}

function notes(many: number, text: string): EventBody[] {
  return Array.from({ length: many }, (_, index) => note(`${text} #${index + 1}`))
}

export function hold(callId: string, given: Partial<HoldRow> = {}): HoldRow {
  return {
    callId,
    tool: 'email.send',
    kind: 'approval',
    open: true,
    heldAt: NOON,
    expiresAt: NOON + 60_000,
    seqs: [1],
    ...given,
  }
}

/** Appends. Any other result than `ok` fails the case. */
export async function written(store: Store, write: Append): Promise<Written> {
  const answer = await store.append(write)
  holds(
    answer.result === 'ok',
    `an append to ${write.to.id} after ${write.expectedSeq} should be written, and got ${JSON.stringify(answer)}`,
  )
  return answer
}

/** The events of an append, as the log has them. */
export function logged({ events, expectedSeq, at }: Append): LogEvent[] {
  return events.map((event, index) => ({ ...event, seq: expectedSeq + index + 1, at }))
}

/** What is loaded, without its hash, which must be that of the newest batch. */
export async function loadedFrom(store: Store, from: Address): Promise<Omit<Loaded, 'hash'> | undefined> {
  const loaded = await store.load(from)
  if (!loaded) return undefined
  const { hash, ...rest } = loaded
  const [newest] = await store.batches(from, loaded.seq - 1, 1)
  same({ seq: loaded.seq, hash }, { seq: newest?.seq, hash: newest?.hash }, `the head of ${from.id}, as it is loaded`)
  return rest
}

export function at(id: string, tenant = ''): Address {
  return { tenant, id }
}

/** The whole log, page by page, as a subscriber reads it. */
export async function logOf(store: Store, from: Address, limit?: number): Promise<LogEvent[]> {
  const log: LogEvent[] = []
  for (;;) {
    const page = await store.read(from, log.length, limit)
    if (page.length === 0) return log
    for (const event of page) {
      log.push(event)
      same(event.seq, log.length, `the seq of event ${log.length}, read in order`)
    }
  }
}

/** Checks that the log consists of exactly these appends, in order. */
export async function sameLog(store: Store, from: Address, writes: readonly Append[]): Promise<void> {
  same(await logOf(store, from), writes.flatMap(logged), `the log of ${from.id}`)
}
