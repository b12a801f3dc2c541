/** A conversation of the plain store. */
import type { Address, Batch, ConversationStatus, HoldRow, Json, LogEvent, Note } from '@holdpoint/core'

export interface Conversation {
  readonly address: Address
  /** Creation order, for lists. */
  readonly nth: number
  readonly createdAt: number
  /** From the seq after `erased`. */
  readonly events: LogEvent[]
  erased: number
  /** By the seq of the first event of each write. */
  readonly marks: Map<number, string>
  /** In order. */
  readonly batches: Batch[]
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
