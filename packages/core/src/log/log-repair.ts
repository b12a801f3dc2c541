/** A part of the contract that only stores need whose logs can be damaged by a disk or by another program. */
import type { Batch } from './batch.ts'
import type { Address, Append, Store } from './store.ts'

/** A batch as it was written, and the append that gives its rows. */
export interface WholeBatch {
  readonly batch: Batch
  readonly append: Append
}

export interface RepairGuard {
  /** What `dump` returned. A log that has changed since is not replaced. */
  readonly dumped: readonly string[]
  /** Replaces also a log that a living process drives. Its appends are refused from then on. */
  readonly fence: boolean
}

export interface LogRepair {
  /** Every row that the store has of a log, readable or not, as JSON. Empty if it has none. */
  dump(of: Address): Promise<readonly string[]>
  /**
   * Replaces the batches of a log and all rows that follow from them, in one transaction. Keys and notes up to the new end stay. The epoch
   * grows, so a driver of the old log cannot write. Without batches, the conversation is gone.
   */
  replace(of: Address, batches: readonly WholeBatch[], guard: RepairGuard): Promise<'replaced' | 'changed' | 'owned'>
}

export interface RepairableStore extends Store {
  readonly logRepair: LogRepair
}

export function logRepairOf(store: Store): LogRepair | undefined {
  return 'logRepair' in store ? (store as RepairableStore).logRepair : undefined
}
