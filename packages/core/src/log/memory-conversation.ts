/** A conversation of the memory store. */
import type { Json } from '../json.ts'
import { NO_HASH, type Head } from './chain.ts'
import type { LogEvent, NewEvent } from './log-event.ts'
import type { Address, ConversationStatus, HoldRow, Note } from './store.ts'

export interface Conversation {
  readonly address: Address
  /** Creation order, for lists. */
  readonly nth: number
  readonly createdAt: number
  /** Begins with the seq after `erased`: an erasure removes all events before it. */
  readonly events: LogEvent[]
  erased: number
  /** The appends, by the seq of the last event. */
  readonly writes: Map<number, { readonly at: number; readonly events: readonly NewEvent[]; readonly hash: string }>
  /** The mark of each append, by the seq of its first event. */
  readonly marks: Map<number, string>
  readonly keys: Map<string, number>
  readonly holds: Map<string, HoldRow>
  notes: readonly Note[]
  agent: string
  status: ConversationStatus
  wakeAt: number | undefined
  base: { readonly seq: number; readonly state: Json } | undefined
  labels: readonly string[]
  hidden: boolean
  epoch: number
  owner: string | undefined
  updatedAt: number
}

export function create(address: Address, nth: number, at: number): Conversation {
  return {
    address,
    nth,
    createdAt: at,
    events: [],
    erased: 0,
    writes: new Map(),
    marks: new Map(),
    keys: new Map(),
    holds: new Map(),
    notes: [],
    agent: '',
    status: 'idle',
    wakeAt: undefined,
    base: undefined,
    labels: [],
    hidden: false,
    epoch: 0,
    owner: undefined,
    updatedAt: at,
  }
}

export function headOf({ erased, events }: Conversation): number {
  return erased + events.length
}

export function newestOf(there: Conversation): Head {
  const seq = headOf(there)
  return { seq, hash: there.writes.get(seq)?.hash ?? NO_HASH }
}
