/** A conversation of the memory store. */
import type { Json } from '../json.ts'
import type { LogEvent } from './log-event.ts'
import type { Address, ConversationStatus, HoldRow, Note } from './store.ts'

export interface Conversation {
  readonly address: Address
  /** Creation order, for lists. */
  readonly nth: number
  readonly createdAt: number
  /** Begins with the seq after `erased`: an erasure removes all events before it. */
  readonly events: LogEvent[]
  erased: number
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
