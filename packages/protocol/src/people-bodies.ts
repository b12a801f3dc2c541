/** The bodies about keys, people and the caller. */
import type { ConversationLine, LogEvent } from '@holdpoint/core'
import type { Scope } from './bodies.ts'

export interface CreateKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Milliseconds until the key expires. Default: never. */
  readonly ttlMs?: number
  /** The people that the key may act for: their ids, or `true` for all. Default: none. */
  readonly mayActFor?: true | readonly string[]
  /** With the scope `worker` alone: the tools whose calls the key may see, claim and resolve. Default: all. */
  readonly tools?: readonly string[]
  /** The tenants that a request with the key may choose from, the key's own first. Default: only its own. */
  readonly tenants?: readonly string[]
}

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt?: number
  /** The people that the key may act for: their ids, or `true` for all. Without it, none. */
  readonly mayActFor?: true | readonly string[]
  /** The tools whose calls the key may see, claim and resolve. Without it, all. */
  readonly tools?: readonly string[]
  /** The tenants that a request with the key may choose from, the key's own first. Without it, only its own. */
  readonly tenants?: readonly string[]
}

/** A person of the tenant, for keys and delegates that act for them. */
export interface PersonRow {
  readonly id: string
  /** The name that people read. */
  readonly name?: string
  readonly groups?: readonly string[]
}

export interface ErasePerson {
  /** Becomes the owner of the conversations and spaces that the person owns. Without it, these conversations are erased. */
  readonly to?: string
  /** Stays in the tombstones of erased conversations. */
  readonly reason?: string
}

export interface PersonErased {
  /** Conversations that were erased, that have another owner now, and that the person left. */
  readonly erased: number
  readonly handedOver: number
  readonly left: number
  /** What names the person after the erasure. */
  readonly stays: {
    /** Logs with events of the person, or about their membership; at most 1000 are listed. */
    readonly logs: readonly { readonly id: string; readonly events: number }[]
    /** How many such events there are in all logs. */
    readonly events: number
    /** Keys that may act for the person by name. */
    readonly keys: readonly string[]
  }
}

/** A person who signed in with a browser. The id opens nothing: it only names the session. */
export interface PersonSessionRow {
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The `User-Agent` header of the sign-in. */
  readonly browser?: string
  /** The session of this request. */
  readonly current?: true
}

/** `from` lets `to` decide in their place. */
export interface DelegationRow {
  readonly from: string
  readonly to: string
  readonly until: number
  /** The groups of `from` when they delegated. A person who is listed in the tenant has the groups listed there. */
  readonly groups?: readonly string[]
}

export interface DelegationsQuery {
  /** `received`: to the caller. `given`: from the caller. Default: `received`. */
  readonly view?: 'received' | 'given'
  /** The person that a key acts for. */
  readonly by?: string
}

/** `key` is returned only once. */
export interface CreatedKey extends KeyRow {
  readonly key?: string
}

/** The credential of a request. */
export interface CallerRow {
  readonly tenant: string
  readonly by: string
  readonly kind: 'program' | 'person'
  /** The name that people read. */
  readonly name?: string
  readonly groups?: readonly string[]
  readonly mayActFor?: true | readonly string[]
  readonly scopes: readonly Scope[]
  /** The tools whose calls a worker may see, claim and resolve. Without it, all. */
  readonly tools?: readonly string[]
  /** The tenants that a request may choose from, the caller's own first. Without it, only its own. */
  readonly tenants?: readonly string[]
  /** When the credential expires. */
  readonly expiresAt?: number
}

/** A line of the export of a person. */
export type ExportLine =
  | { readonly type: 'export'; readonly person: string; readonly at: number }
  | { readonly type: 'person' | 'channels' | 'delegation' | 'key' | 'session' | 'file' | 'rule'; readonly data: object }
  | { readonly type: 'conversation'; readonly data: object }
  /** `elsewhere`: by the person, in a space or in a conversation of others. */
  | { readonly type: 'event'; readonly conversationId: string; readonly event: LogEvent; readonly elsewhere?: true }
  | Extract<ConversationLine, { readonly type: 'end' }>
