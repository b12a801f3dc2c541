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
 * | the scope `resolver` | every rule | rules that allow or ask; ends rules that allow, and its own |
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
  | 'rule.read'
  | 'rule.save'
  /** Revoke or change a rule. */
  | 'rule.end'

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
  /** For a right about a rule; `author` of one that is saved. `conversationId` is its scope, or empty. */
  readonly rule?: { readonly tool: string; readonly effect: 'allow' | 'ask' | 'deny'; readonly author?: string }
  readonly hold?: { readonly to: readonly string[] | undefined; readonly askedBy: readonly string[] }
}

export type Authorize = (caller: CallerIdentity, right: Right, resource: Resource) => boolean | Promise<boolean>

/** The default rules. */
export function authorize(caller: CallerIdentity, right: Right, resource: Resource): boolean {
  const { id, kind, scopes, delegations = [] } = caller
  if (scopes.includes('admin')) return true
  const { owner, participants, hold, rule } = resource
  const resolves = scopes.includes('resolver')
  if (right === 'rule.read') return resolves || scopes.includes('reader')
  if (right === 'rule.save') return resolves && rule?.effect !== 'deny'
  // To end a rule that asks or denies weakens what it protects.
  if (right === 'rule.end') return resolves && (rule?.effect === 'allow' || rule?.author === id)
  if (kind === 'program') return true
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
        resolves ||
        hold?.askedBy.includes(id) === true ||
        [caller, ...delegations.map(({ from }) => from)].some((who) => isNamedIn(hold?.to ?? [], who))
      )
  }
}

export function identityOf({ tenant, by, kind, groups = [], scopes }: Caller): CallerIdentity {
  return { tenant, id: by, kind, groups, scopes }
}
