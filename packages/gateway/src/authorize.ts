/**
 * Who may see and do what inside a tenant. One function decides for routes, streams, lists, holds and MCP, and an
 * application can replace it.
 *
 * | | reads | writes |
 * |---|---|---|
 * | an owner, a participant | the conversation and its holds | messages; the owner also changes participants and erases |
 * | a person whom a hold names, or who may resolve it | the hold, and its conversation while the hold is open | |
 * | the scope `resolver` | every hold | |
 * | the scope `conversations:read-all` | every conversation and hold, every space | |
 * | `admin`, and every key of a program | everything that its scopes allow | everything that its scopes allow |
 */
import { isNamedIn, type Delegation } from '@holdpoint/core'
import type { Scope } from '@holdpoint/protocol'
import type { Caller } from './auth/caller.ts'

export type Right =
  | 'conversation.read'
  | 'conversation.write'
  /** Change the participants, or the owner. */
  | 'conversation.share'
  | 'conversation.erase'
  | 'hold.read'

/** A caller as authentication identified it, with its scopes. */
export interface CallerIdentity {
  readonly tenant: string
  readonly id: string
  readonly kind: 'person' | 'program'
  readonly groups: readonly string[]
  readonly scopes: readonly Scope[]
  /** For `hold.read`: the people who let the caller decide in their place. */
  readonly delegations?: readonly Delegation[]
}

export interface Resource {
  readonly conversationId: string
  /** Undefined for the log of an autonomous agent, and where the log names no author. */
  readonly owner: string | undefined
  readonly participants: readonly string[]
  /** The autonomous agent whose log this is. */
  readonly agent?: string
  /** For `hold.read`: the people and groups that the hold names, and the people who asked for its call. */
  readonly hold?: { readonly to: readonly string[] | undefined; readonly askedBy: readonly string[] }
}

export type Authorize = (caller: CallerIdentity, right: Right, resource: Resource) => boolean | Promise<boolean>

/** The default rules. */
export function authorize(caller: CallerIdentity, right: Right, resource: Resource): boolean {
  const { id, kind, scopes, delegations = [] } = caller
  if (kind === 'program' || scopes.includes('admin')) return true
  const { owner, participants, hold } = resource
  const takesPart = owner === id || participants.includes(id)
  const readsAll = scopes.includes('conversations:read-all')
  switch (right) {
    case 'conversation.read':
      return takesPart || readsAll
    case 'conversation.write':
      return takesPart
    case 'conversation.share':
    case 'conversation.erase':
      return owner === id
    case 'hold.read':
      return (
        takesPart ||
        readsAll ||
        scopes.includes('resolver') ||
        hold?.askedBy.includes(id) === true ||
        [caller, ...delegations.map(({ from }) => from)].some((who) => isNamedIn(hold?.to ?? [], who))
      )
  }
}

export function identityOf({ tenant, by, kind, groups = [], scopes }: Caller): CallerIdentity {
  return { tenant, id: by, kind, groups, scopes }
}
