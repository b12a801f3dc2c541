/**
 * The hash chain of a log. Each batch has a hash of its content and of the hash before it, so the hash of the newest batch stands for
 * the whole log. A writer names the hash that it follows: a log of the same length with other events is not the one it decided on.
 *
 * | hash before a batch            | when                                                                    |
 * |---|---|
 * | that of the batch before it    | always, except:                                                         |
 * | `NO_HASH`                      | the first batch of a log, and the tombstone of an erased one            |
 * | `NO_HASH`                      | the batch before it has none: it was written before logs had hashes     |
 *
 * A store computes SHA-256 of `chainText` as lower-case hex. The core has no fast hash, so each store uses its own.
 */
import type { Batch } from './batch.ts'
import { decodeBatch } from './batch.ts'
import type { LogEvent } from './log-event.ts'
import type { Append } from './store.ts'

/** The hash of an empty log, and of a batch that was written before logs had hashes. */
export const NO_HASH = ''

/** A place in a log: the seq and the hash of the batch that ends there. An empty log: 0 and `NO_HASH`. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** What was appended after a head, and the new head. */
export interface Following {
  readonly events: readonly LogEvent[]
  readonly head: Head
}

/** The text whose SHA-256 is the hash of a batch. `before`: the hash before it. `events`: as `encodeBatch` writes them. */
export function chainText(before: string, { seq, at, events }: Omit<Batch, 'hash'>): string {
  return `${before}\n${seq}\n${at}\n${events}`
}

/** The text whose SHA-256 is the hash of an append. `events`: as `encodeBatch` writes them. */
export function appendText({ erase, follows, expectedSeq, events: { length }, at }: Append, events: string): string {
  return chainText(erase ? NO_HASH : follows, { seq: expectedSeq + length, at, events })
}

/**
 * What follows a head, of the batches that end at its seq or after it, in order. Undefined when the log does not contain the head: it
 * is shorter, or has other events there. An erased log continues from every head before its tombstone.
 */
export function following(head: Head, batches: readonly Batch[]): Following | undefined {
  const [first] = batches
  if (!first) return head.seq === 0 ? { events: [], head } : undefined
  const known = first.seq === head.seq
  if (known && first.hash !== head.hash) return undefined
  const newer = known ? batches.slice(1) : batches
  const events = newer.flatMap(decodeBatch)
  if (!known && events[0]!.seq <= head.seq) return undefined
  const last = newer.at(-1)
  return { events, head: last ? { seq: last.seq, hash: last.hash } : head }
}
