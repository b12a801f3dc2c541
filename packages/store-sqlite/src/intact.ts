/**
 * Checks what was read. SQLite has no checksums, so a bit that a disk or another program changed would be read like any other.
 */
import { hash as digest } from 'node:crypto'
import { chainText, HoldpointError, NO_HASH, type Address } from '@holdpoint/core'
import type { StoredBatch } from './writer-messages.ts'

/** Whether the batch is as it was written, and the one before it is not missing. `before`: the hash of that one. */
export function isIntact(before: string, batch: StoredBatch): boolean {
  // Only batches from before the chain have no hash, and they come first.
  if (batch.hash === NO_HASH) return before === NO_HASH
  return batch.hash === sha256(chainText(before, batch))
}

export function sha256(text: string): string {
  return digest('sha256', text, 'hex')
}

export function damaged({ tenant, id }: Address, what: string): HoldpointError {
  const name = tenant === '' ? `"${id}"` : `"${id}" of tenant "${tenant}"`
  return new HoldpointError(
    'log-damaged',
    `The log of ${name} is damaged: ${what}. Other logs are not affected. Restore it from a backup, or repair it.`,
  )
}
