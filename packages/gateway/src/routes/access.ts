/**
 * Access rules beyond scopes. A key belongs to a program, which may act for any person. A token belongs to one person:
 * it sees that person's spaces, and never the log of an autonomous agent, because that log contains messages from
 * spaces the person is not in. `admin` sees everything.
 */
import { agentOfLog, type Member, type Runtime } from '@holdpoint/core'
import { isAdmin, type Principal } from '../auth/principal.ts'
import { isReservedName } from '../auth/reserved-names.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import { reservedName } from './author.ts'

export function seesWholeTenant(caller: Principal): boolean {
  return caller.kind === 'key' || isAdmin(caller)
}

/** The person whose token it is, as a member of a space. */
export function personOf({ by }: Principal): Member {
  return { kind: 'human', id: by }
}

/** The member on whose behalf the caller acts in a space. */
export function actorOf(
  caller: Principal,
  given: Member | undefined,
): { readonly member: Member } | { readonly answer: RouteAnswer } {
  const self = personOf(caller)
  if (given === undefined || (given.kind === self.kind && given.id === self.id)) return { member: self }
  if (given.kind === 'human' && isReservedName(given.id)) return { answer: reservedName }
  if (caller.kind === 'key') return { member: given }
  return { answer: refuse('scope-missing', 'A token acts only for its own `sub`. Leave the member out.') }
}

/** The owner on whose behalf the members of a space are changed; none for a program that manages all spaces. */
export function memberEditorOf(
  caller: Principal,
  by: string | undefined,
): { readonly by?: Member } | { readonly answer: RouteAnswer } {
  if (by === undefined) return seesWholeTenant(caller) ? {} : { by: personOf(caller) }
  const actor = actorOf(caller, { kind: 'human', id: by })
  return 'answer' in actor ? actor : { by: actor.member }
}

/** The problem when the caller may not read the space; undefined when it may. */
export async function refuseSpace(caller: Principal, runtime: Runtime, id: string): Promise<RouteAnswer | undefined> {
  if (!(await isSpace(runtime, id))) return spaceMissing(id)
  if (seesWholeTenant(caller) || (await runtime.spaces.roleOf(id, personOf(caller))) !== undefined) return undefined
  return notAMember(caller)
}

/**
 * The problem when the id is the log of an autonomous agent that the caller may not read. Does not check that it
 * exists.
 */
export function refuseAgentLog(caller: Principal, id: string): RouteAnswer | undefined {
  if (seesWholeTenant(caller) || agentOfLog(id) === undefined) return undefined
  return refuse(
    'scope-missing',
    'This is the log of an autonomous agent. It needs a key, or a token with the scope admin.',
  )
}

/** Whether a log with this id exists. */
export async function hasEvents(runtime: Runtime, id: string): Promise<boolean> {
  return (await runtime.events(id, 0, 1)).length > 0
}

/** The problem when the id is not a conversation. */
export async function refuseConversation(runtime: Runtime, id: string): Promise<RouteAnswer | undefined> {
  const [first] = await runtime.events(id, 0, 1)
  if (!first) return refuse('not-found', `There is no conversation "${id}".`)
  return first.type === 'space.opened' ? isASpace(id) : undefined
}

function isASpace(id: string): RouteAnswer {
  return refuse('is-a-space', `"${id}" is a space, not a conversation. It is at /api/spaces/${encodeURIComponent(id)}.`)
}

export function spaceMissing(id: string): RouteAnswer {
  return refuse('space-missing', `There is no space "${id}".`)
}

export function notAMember({ by }: Principal): RouteAnswer {
  return refuse('not-a-member', `${by} is not a member of this space. One of its owners can add them.`)
}

async function isSpace(runtime: Runtime, id: string): Promise<boolean> {
  const [first] = await runtime.events(id, 0, 1)
  return first?.type === 'space.opened'
}
