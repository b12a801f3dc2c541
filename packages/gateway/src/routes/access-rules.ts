/**
 * Access rules beyond scopes, as routes apply them. `authorize` has the rules for conversations and holds. A person sees the
 * spaces that they are a member of, and never the log of an autonomous agent, because that log contains messages from
 * spaces that the person is not in.
 */
import { agentOfLog, type LogEvent, type Member } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import { authorize as defaultRules, identityOf, type Right } from '../authorize.ts'
import { hasScope, isAdmin, mayActFor, type Caller } from '../auth/caller.ts'
import { isReservedName } from '../auth/reserved-names.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import { deciderOf, mayNotActFor, reservedName } from './request-author.ts'

export function seesWholeTenant(caller: Caller): boolean {
  return caller.kind === 'program' || isAdmin(caller)
}

export function readsWholeTenant(caller: Caller): boolean {
  return seesWholeTenant(caller) || hasScope(caller, ['conversations:read-all'])
}

type Asked = Pick<RouteRequest, 'caller' | 'runtime' | 'services'>

/** The problem when the caller may not do this with the conversation. Undefined for one that does not exist. */
export async function refuseRight(asked: Asked, id: string, right: Right): Promise<RouteAnswer | undefined> {
  const { caller, runtime, services } = asked
  const { authorize = defaultRules } = services
  if (!services.authorize && seesWholeTenant(caller)) return undefined
  const people = await runtime.participants(id)
  const agent = agentOfLog(id)
  if (!people) return agent === undefined || mayUseNewAgentLog(caller, right) ? undefined : agentLogRefused
  const resource = { conversationId: id, ...people, ...(agent !== undefined && { agent }) }
  if (await authorize(identityOf(caller), right, resource)) return undefined
  // An agent's log also has messages of spaces that the approver is not in.
  if (right === 'conversation.read' && agent === undefined && (await hasHoldToDecide(asked, id))) return undefined
  // An erasure removes the participants too, so every caller who knows the id gets this answer.
  if (await runtime.erasure(id)) return refuse('erased', `Conversation "${id}" was erased.`)
  return agent === undefined ? notAParticipant(caller, id) : agentLogRefused
}

/** An approver reads the conversation while a hold waits there that they may resolve. */
async function hasHoldToDecide(asked: Asked, conversationId: string): Promise<boolean> {
  const { caller, runtime, services } = asked
  const from = await deciderOf({ caller, services }, undefined)
  if ('answer' in from) return false
  const kinds = hasScope(caller, ['resolver']) ? {} : { kinds: [] }
  // The application's own rules may hide some of the holds.
  const limit = services.authorize ? 100 : 1
  const { items } = await runtime.pending({ conversationId, by: from.by, view: 'mine', ...kinds, limit })
  return (await readableHolds(asked, items)).length > 0
}

/** The seq of the conversation, when the caller reads it only while a hold waits there. Undefined for any other reader. */
export async function readsForHoldSince(asked: Asked, id: string): Promise<number | undefined> {
  const { caller, runtime, services } = asked
  const { authorize = defaultRules } = services
  const people = await runtime.participants(id)
  if (!people || (await authorize(identityOf(caller), 'conversation.read', { conversationId: id, ...people })))
    return undefined
  return (await runtime.view(id, { turns: 1 }))?.seq
}

/** The holds of a page that the application's own rules allow. The default rules restrict the query itself. */
export async function readableHolds(
  { caller, services, runtime }: Asked,
  holds: readonly PendingHold[],
): Promise<readonly PendingHold[]> {
  const { authorize } = services
  if (!authorize) return holds
  const decider = await deciderOf({ caller, services }, undefined)
  const delegations = 'by' in decider ? decider.by.delegations : undefined
  const identity = { ...identityOf(caller), ...(delegations && { delegations }) }
  const allowed = await Promise.all(
    holds.map(async ({ conversationId, to, askedBy = [] }) => {
      const people = (await runtime.participants(conversationId)) ?? NOBODY_YET
      const askers = askedBy.flatMap((author) =>
        author.by === undefined || author.kind === 'agent' ? [] : [author.by],
      )
      return authorize(identity, 'hold.read', { conversationId, ...people, hold: { to, askedBy: askers } })
    }),
  )
  return holds.filter((_, index) => allowed[index])
}

/** The problem by the application's own rules. The default rules are part of the decision about a hold. */
export async function refuseCustom(
  asked: Asked,
  conversationId: string,
  callId: string,
): Promise<RouteAnswer | undefined> {
  if (!asked.services.authorize) return undefined
  const { items } = await asked.runtime.pending({ conversationId, callId, limit: 1 })
  const allowed = await readableHolds(asked, items)
  return allowed.length === items.length ? undefined : refuse('not-allowed', 'You may not see this hold.')
}

/** The caller as the runtime restricts its lists; unrestricted for callers that read the whole tenant. */
export function listedFor({ caller, services }: Pick<Asked, 'caller' | 'services'>): { readonly participant?: string } {
  return services.authorize || readsWholeTenant(caller) ? {} : { participant: caller.by }
}

/** The conversations of a page that the application's own rules allow. The default rules restrict the query itself. */
export async function allowedOf<T>(
  { caller, runtime, services }: Asked,
  right: Right,
  items: readonly T[],
  idOf: (item: T) => string,
): Promise<readonly T[]> {
  const { authorize } = services
  if (!authorize) return items
  const allowed = await Promise.all(
    items.map(async (item) => {
      const people = await runtime.participants(idOf(item))
      const agent = agentOfLog(idOf(item))
      const resource = { conversationId: idOf(item), ...(people ?? NOBODY_YET), ...(agent !== undefined && { agent }) }
      return authorize(identityOf(caller), right, resource)
    }),
  )
  return items.filter((_, index) => allowed[index])
}

const NOBODY_YET = { owner: undefined, participants: [] }

function notAParticipant({ by }: Caller, id: string): RouteAnswer {
  return refuse('not-allowed', `${by} is not a participant of conversation "${id}". Its owner can add them.`)
}

/** The person that the token identifies, as a member of a space. */
export function personOf({ by }: Caller): Member {
  return { kind: 'human', id: by }
}

/** The member for whom the caller acts in a space. */
export function actingMember(
  caller: Caller,
  given: Member | undefined,
): { readonly member: Member } | { readonly answer: RouteAnswer } {
  const self = personOf(caller)
  if (given === undefined || (given.kind === self.kind && given.id === self.id)) return { member: self }
  if (given.kind === 'human' && isReservedName(given.id)) return { answer: reservedName }
  if (given.kind === 'agent' ? caller.kind === 'program' : mayActFor(caller, given.id)) return { member: given }
  if (caller.kind === 'program') return { answer: mayNotActFor(given.id) }
  return { answer: refuse('scope-missing', 'A token acts only for its own `sub`. Leave the member out.') }
}

/** The owner for whom the caller changes the members of a space; none for a program that manages all spaces. */
export function memberEditorOf(
  caller: Caller,
  by: string | undefined,
): { readonly by?: Member } | { readonly answer: RouteAnswer } {
  if (by === undefined) return seesWholeTenant(caller) ? {} : { by: personOf(caller) }
  const actor = actingMember(caller, { kind: 'human', id: by })
  return 'answer' in actor ? actor : { by: actor.member }
}

/** The problem when the caller may not read the space; undefined when it may. */
export async function refuseSpace(caller: Caller, runtime: Runtime, id: string): Promise<RouteAnswer | undefined> {
  const first = await firstEvent(runtime, id)
  if (!first || !isOfSpace(first)) return spaceMissing(id)
  // An erasure removes the members too, so every caller who knows the id gets this answer.
  if (first.type === 'space.erased') return readsWholeTenant(caller) ? undefined : spaceErased(id)
  if (readsWholeTenant(caller) || (await runtime.spaces.roleOf(id, personOf(caller))) !== undefined) return undefined
  return notAMember(caller)
}

/** A person who sends to an agent's log before it exists would be its owner. */
function mayUseNewAgentLog(caller: Caller, right: Right): boolean {
  return right === 'conversation.read' ? readsWholeTenant(caller) : seesWholeTenant(caller)
}

const agentLogRefused: RouteAnswer = refuse(
  'scope-missing',
  'This is the log of an autonomous agent. It needs a key, or a token with the scope admin.',
)

/** Whether a log with this id exists. */
export async function hasEvents(runtime: Runtime, id: string): Promise<boolean> {
  return (await runtime.events(id, 0, 1)).length > 0
}

/** The problem when the id is not a conversation. */
export async function refuseConversation(runtime: Runtime, id: string): Promise<RouteAnswer | undefined> {
  const first = await firstEvent(runtime, id)
  if (!first) return refuse('not-found', `There is no conversation "${id}".`)
  return isOfSpace(first) ? isASpace(id) : undefined
}

function isASpace(id: string): RouteAnswer {
  return refuse('is-a-space', `"${id}" is a space, not a conversation. It is at /api/spaces/${encodeURIComponent(id)}.`)
}

export function spaceMissing(id: string): RouteAnswer {
  return refuse('space-missing', `There is no space "${id}".`)
}

export function notAMember({ by }: Caller): RouteAnswer {
  return refuse('not-a-member', `${by} is not a member of this space. One of its owners can add them.`)
}

export function spaceErased(id: string): RouteAnswer {
  return refuse('erased', `Space "${id}" was erased.`)
}

async function firstEvent(runtime: Runtime, id: string): Promise<LogEvent | undefined> {
  const [first] = await runtime.events(id, 0, 1)
  return first
}

/** An erased space begins with its tombstone. */
function isOfSpace({ type }: LogEvent): boolean {
  return type === 'space.opened' || type === 'space.erased'
}
