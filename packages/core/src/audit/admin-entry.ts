/**
 * An entry of the audit log of administrative actions. Each entry has the hash of the one before, so an entry that is changed,
 * removed, inserted or moved breaks the chain. The newest entries can be removed without a trace: keep a hash of your own for that.
 */
import { canonical, type Json } from '../json.ts'
import { sha256 } from '../sha256.ts'
import type { Authentication } from '../principal.ts'
import type { SignedHead } from '../log/signed-head.ts'

export type AdminEntry = {
  /** 1 for the first entry of the tenant, then without gaps. */
  readonly n: number
  readonly at: number
  /** The hash of the entry before; empty for the first. */
  readonly previous: string
  readonly hash: string
  /** The hash, signed with the key of the installation. It is not part of the hash. */
  readonly signed?: SignedHead
} & (
  | {
      /** Written before the action is carried out. */
      readonly kind: 'begun'
      readonly by: string
      readonly auth: Authentication
      /** The operation, as the OpenAPI document names it: `createKey`. */
      readonly action: string
      /** What it is about: the parameters of the path and the query. */
      readonly target: Readonly<Record<string, string>>
      /** The content of the request, or its SHA-256 where it may hold secrets or is large. */
      readonly details?: Json
    }
  | {
      /** Written after it. Without this entry, the process stopped in between. */
      readonly kind: 'ended'
      /** The `n` of the entry that it is about. */
      readonly of: number
      /** The HTTP status. */
      readonly status: number
    }
)

export function adminEntryHash(entry: Omit<AdminEntry, 'hash' | 'signed'>): string {
  const { hash: _hash, signed: _signed, ...rest } = { hash: '', signed: undefined, ...entry }
  return sha256(canonical(rest))
}

/** The first place in the chain that does not hold the entry that belongs there. `entries` are oldest first, from any entry on. */
export function firstBrokenAdminEntry(entries: readonly AdminEntry[]): number | undefined {
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]
    const begins = Number.isSafeInteger(entry.n) && (entry.n > 1 || entry.previous === '')
    const follows = before ? entry.previous === before.hash && entry.n === before.n + 1 : begins
    if (!follows || entry.hash !== adminEntryHash(entry)) return before ? before.n + 1 : 1
  }
  return undefined
}
