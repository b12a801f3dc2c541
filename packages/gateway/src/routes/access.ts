/**
 * What a credential may look into beyond its scopes. Keys are programs, which act for anybody; a person's token is that
 * person: it sees the spaces they are in, and nothing of the inner life of an agent, which has heard what was said in
 * spaces that are not theirs. `admin` sees everything.
 */
import { agentOfLife, type Member, type Runtime } from '@holdpoint/core'
import { may, type Principal } from '../auth/principal.ts'
import { no, type Answer } from '../http/answer.ts'

export function seesAll(who: Principal): boolean {
  return who.kind === 'key' || may(who, [])
}

/** The person whose token it is. */
export function personOf({ by }: Principal): Member {
  return { kind: 'human', id: by }
}

/** In whose name something is done in a space. */
export function actorOf(
  who: Principal,
  given: Member | undefined,
): { readonly member: Member } | { readonly answer: Answer } {
  const self = personOf(who)
  if (given === undefined || (given.kind === self.kind && given.id === self.id)) return { member: self }
  if (who.kind === 'key') return { member: given }
  return { answer: no('scope-missing', 'A token acts for its own `sub` alone: leave the member out.') }
}

/** Who says who is in a space: a person as one of its owners, or nobody in particular, who runs the system. */
export function managerOf(
  who: Principal,
  by: string | undefined,
): { readonly by?: Member } | { readonly answer: Answer } {
  if (by === undefined) return seesAll(who) ? {} : { by: personOf(who) }
  const actor = actorOf(who, { kind: 'human', id: by })
  return 'answer' in actor ? actor : { by: actor.member }
}

/** Why this one may not look into the space; undefined when they may. */
export async function closedSpace(who: Principal, runtime: Runtime, id: string): Promise<Answer | undefined> {
  if (!(await isSpace(runtime, id))) return spaceMissing(id)
  if (seesAll(who) || (await runtime.spaces.roleOf(id, personOf(who))) !== undefined) return undefined
  return stranger(who)
}

/** Why this one may not look into the conversation. Whether there is one, its route finds out. */
export function closedLife(who: Principal, id: string): Answer | undefined {
  if (seesAll(who) || agentOfLife(id) === undefined) return undefined
  return no('scope-missing', 'This is the life of an agent: it takes a key, or a token with the scope admin.')
}

/** What to say where there is no conversation. */
export async function noConversation(runtime: Runtime, id: string): Promise<Answer | undefined> {
  const [first] = await runtime.events(id, 0, 1)
  if (!first) return no('not-found', `There is no conversation "${id}".`)
  return first.type === 'space.opened' ? isASpace(id) : undefined
}

export function isASpace(id: string): Answer {
  return no('is-a-space', `"${id}" is a space, and no conversation. It is at /api/spaces/${encodeURIComponent(id)}.`)
}

export function spaceMissing(id: string): Answer {
  return no('space-missing', `There is no space "${id}".`)
}

export function stranger({ by }: Principal): Answer {
  return no('not-a-member', `${by} is not a member of this space. One of its owners can change that.`)
}

async function isSpace(runtime: Runtime, id: string): Promise<boolean> {
  const [first] = await runtime.events(id, 0, 1)
  return first?.type === 'space.opened'
}
