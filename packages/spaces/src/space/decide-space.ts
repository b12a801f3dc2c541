/** Decides commands to a space: the events that carry a command out, or a refusal. Pure. */
import { actorOf, type Principal } from '@holdpoint/core/internal/principal'
import type { Requesters } from '@holdpoint/core/internal/log/message'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import type { Space, SpaceMember } from './space.ts'
import {
  memberKey,
  type Member,
  type Role,
  type ShownEvent,
  type SpaceEvent,
} from '@holdpoint/core/internal/log/space-event'

export type SpaceRefusal =
  /** There is no such space. */
  | 'space-missing'
  /** The id belongs to another space, or to a conversation. */
  | 'id-taken'
  | 'not-a-member'
  /** A reader may not post, and only an owner manages members. */
  | 'not-allowed'
  /** A space keeps at least one owner, who manages its members. */
  | 'last-owner'
  /** `replyTo` is not the seq of a message. */
  | 'not-a-message'
  | 'erased'

export type SpaceDecision =
  | { readonly ok: true; readonly events: readonly SpaceEvent[] }
  | { readonly ok: false; readonly refusal: SpaceRefusal; readonly message: string }

/** The default: long enough for agents to work something out, and short enough to stop agents that answer each other for ever. */
export const AGENT_MESSAGES = 12

export interface OpenSpace {
  readonly name: string
  readonly agentMessages: number
  readonly by: Member | undefined
}

export function decideOpen(
  space: Space | undefined,
  fresh: boolean,
  { name, agentMessages, by }: OpenSpace,
): SpaceDecision {
  if (space || !fresh) return refuse('id-taken', 'There is something under this id already. Take another one.')
  const opened: SpaceEvent = { type: 'space.opened', name, agentMessages, ...(by && { by: by.id }) }
  return accept(opened, ...(by ? [joined(by, 'owner', by.id)] : []))
}

/** `by` makes the request, and must be an owner. Without it, the operator makes the request. */
export function decideJoin(
  space: Space | undefined,
  member: Member,
  role: Role,
  by: Member | undefined,
): SpaceDecision {
  if (!space) return missing()
  const no = mayManage(space, by)
  if (no) return no
  const known = space.members.get(memberKey(member))
  if (known?.role === role) return accept()
  if (known && isLastOwner(space, known)) return lastOwner()
  return accept(joined(member, role, by?.id))
}

/** Any member may leave; only an owner removes others. */
export function decideLeave(space: Space | undefined, member: Member, by: Member | undefined): SpaceDecision {
  if (!space) return missing()
  const known = space.members.get(memberKey(member))
  const no = by && memberKey(by) === memberKey(member) ? undefined : mayManage(space, by)
  if (no) return no
  if (!known) return accept()
  if (isLastOwner(space, known) && space.members.size > 1) return lastOwner()
  return accept({ type: 'member.left', member, ...(by && { by: by.id }) })
}

export interface PostMessage {
  readonly from: Member
  readonly text: string
  readonly replyTo?: number
  readonly requesters?: Requesters
}

export function decidePost(space: Space | undefined, { from, text, replyTo, requesters }: PostMessage): SpaceDecision {
  if (!space) return missing()
  const member = space.members.get(memberKey(from))
  if (!member) return stranger(space, from)
  if (member.role === 'reader')
    return refuse('not-allowed', `${from.id} may read space "${space.name}", not speak in it.`)
  const quiet = from.kind === 'agent' && space.chain >= space.agentMessages
  return accept({
    type: 'message.posted',
    from,
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(requesters !== undefined && { requesters }),
    ...(quiet && { quiet: true as const }),
  })
}

export function decideRead(space: Space | undefined, seq: number, member: Member, upTo: number): SpaceDecision {
  if (!space) return missing()
  const known = space.members.get(memberKey(member))
  if (!known) return stranger(space, member)
  const until = Math.min(upTo, seq)
  return until <= known.read ? accept() : accept({ type: 'messages.read', member, upTo: until })
}

/**
 * Erases the space. A principal with access to its own conversations only must be an owner of the space. Agents that work
 * there are not asked: what they do next is refused.
 */
export function decideEraseSpace(
  space: Space | undefined,
  { by, reason }: { readonly by: Principal | undefined; readonly reason?: string },
): SpaceDecision {
  if (!space) return missing()
  const no = by?.access === 'own' ? mayErase(space, { kind: 'human', id: by.id }) : undefined
  if (no) return no
  const { onBehalfOf: _none, ...who } = actorOf(by)
  return accept({ type: 'space.erased', ...(reason !== undefined && { reason }), ...who })
}

/** Why a command for an erased space is refused; undefined for any other space. */
export function refuseErased({
  erased,
}: {
  readonly erased: Erasure | undefined
}): Extract<SpaceDecision, { readonly ok: false }> | undefined {
  return erased && refuse('erased', 'The space was erased. Use another id.')
}

/** Events from the log of an agent. An agent that is no longer a member is not shown. */
export function decideShow(space: Space | undefined, event: ShownEvent): readonly SpaceEvent[] {
  const { agent } = event
  if (!space) return []
  const here = space.members.has(memberKey({ kind: 'agent', id: agent }))
  switch (event.type) {
    case 'agent.activated':
      return here && !space.active.has(agent) ? [event] : []
    case 'agent.rested':
      return space.active.has(agent) ? [event] : []
    case 'tool.started':
    case 'tool.changed':
      return here ? [event] : []
    case 'tool.done':
    case 'tool.error':
      return [event]
  }
}

function joined(member: Member, role: Role, by: string | undefined): SpaceEvent {
  return { type: 'member.joined', member, role, ...(by !== undefined && { by }) }
}

function mayManage(space: Space, by: Member | undefined): SpaceDecision | undefined {
  if (!by) return undefined
  const member = space.members.get(memberKey(by))
  if (!member) return stranger(space, by)
  return member.role === 'owner'
    ? undefined
    : refuse('not-allowed', `Only an owner of space "${space.name}" says who is in it.`)
}

function mayErase(space: Space, member: Member): SpaceDecision | undefined {
  const role = space.members.get(memberKey(member))?.role
  if (role === undefined) return stranger(space, member)
  return role === 'owner' ? undefined : refuse('not-allowed', `Only an owner of space "${space.name}" erases it.`)
}

function isLastOwner(space: Space, { member, role }: SpaceMember): boolean {
  if (role !== 'owner') return false
  const others = [...space.members.values()].filter((each) => memberKey(each.member) !== memberKey(member))
  return !others.some((each) => each.role === 'owner')
}

function lastOwner(): SpaceDecision {
  return refuse('last-owner', 'This is the only owner. Make another member an owner first.')
}

function stranger(space: Space, { id }: Member): SpaceDecision {
  return refuse('not-a-member', `${id} is not a member of space "${space.name}".`)
}

function missing(): SpaceDecision {
  return refuse('space-missing', 'There is no such space.')
}

function accept(...events: readonly SpaceEvent[]): SpaceDecision {
  return { ok: true, events }
}

function refuse(refusal: SpaceRefusal, message: string): Extract<SpaceDecision, { readonly ok: false }> {
  return { ok: false, refusal, message }
}
