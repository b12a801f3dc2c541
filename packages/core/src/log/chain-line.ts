/**
 * A line of an export with hashes: batches as the store has them, and the signed heads of their log. It is for people who check a log
 * without its store; to move conversations to another store, use `ConversationLine`.
 *
 * - A line is exactly what `JSON.stringify` writes for its object. So no byte of it is insignificant.
 * - The hash of a batch is SHA-256 of `chainText`, with `JSON.stringify` of its events.
 * - The last line has the SHA-256 of all lines before it, each with its line feed.
 */
import type { NewEvent } from './log-event.ts'
import type { SignedHead } from './signed-head.ts'

export const CHAIN_FORMAT = 'holdpoint.chains'
export const CHAIN_VERSION = 1

export type ChainLine =
  | { readonly type: 'export'; readonly format: typeof CHAIN_FORMAT; readonly version: typeof CHAIN_VERSION }
  /** The batches of this log follow, and then its signed heads. */
  | { readonly type: 'log'; readonly tenant: string; readonly id: string }
  | BatchLine
  | ({ readonly type: 'signed-head' } & SignedHead)
  | { readonly type: 'end'; readonly logs: number; readonly events: number; readonly sha256: string }

export interface BatchLine {
  readonly type: 'batch'
  /** The seq of its last event. */
  readonly seq: number
  readonly at: number
  readonly hash: string
  /** Left out where the gateway withheld them, because a secret of the installation is in them. */
  readonly events?: readonly NewEvent[]
}
