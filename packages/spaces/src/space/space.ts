/**
 * The state of a space: its members, and what they have read. Messages are only in the log, so the size of the state does not
 * depend on how many there are.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { memberKey, type Member, type Role, type SpaceEvent } from '@holdpoint/core/internal/log/space-event'

export interface Space {
  readonly name: string
  readonly agentMessages: number
  /** By `memberKey`. */
  readonly members: ReadonlyMap<string, SpaceMember>
  /** How many messages agents have posted since the last message of a person. */
  readonly chain: number
  /** Agents that are in the space at the moment. */
  readonly active: ReadonlySet<string>
}

export interface SpaceMember {
  readonly member: Member
  readonly role: Role
  readonly joinedAt: number
  /** The seq up to which it has read. */
  readonly read: number
}

type Written = Exclude<SpaceEvent, { type: 'space.erased' }> & { readonly seq: number; readonly at: number }

export function evolveSpace(space: Space | undefined, event: Written): Space {
  if (event.type === 'space.opened') {
    if (space) return impossible(event, 'it was open already')
    const { name, agentMessages } = event
    return { name, agentMessages, members: new Map(), chain: 0, active: new Set() }
  }
  if (!space) return impossible(event, 'there is no space here')
  switch (event.type) {
    case 'member.joined': {
      const { member, role, at } = event
      const known = space.members.get(memberKey(member))
      const entry = known ? { ...known, role } : { member, role, joinedAt: at, read: 0 }
      return { ...space, members: new Map(space.members).set(memberKey(member), entry) }
    }
    case 'member.left': {
      const members = new Map(space.members)
      members.delete(memberKey(event.member))
      return { ...space, members, active: without(space.active, event.member) }
    }
    case 'message.posted':
      return read(
        { ...space, chain: event.from.kind === 'human' ? 0 : space.chain + 1 },
        event.from,
        // The author of a message has read the messages before it.
        event.seq,
      )
    case 'messages.read':
      return read(space, event.member, event.upTo)
    case 'agent.activated':
      return { ...space, active: new Set(space.active).add(event.agent) }
    case 'agent.rested':
      return { ...space, active: without(space.active, { kind: 'agent', id: event.agent }) }
    case 'tool.started':
    case 'tool.changed':
    case 'tool.done':
    case 'tool.error':
      return space
  }
}

/** The state as it is stored beside the log. */
export interface SpaceBase extends Omit<Space, 'members' | 'active'> {
  readonly members: readonly SpaceMember[]
  readonly active: readonly string[]
}

export function toSpaceBase(space: Space): SpaceBase {
  return { ...space, members: [...space.members.values()], active: [...space.active] }
}

export function fromSpaceBase(base: SpaceBase): Space {
  const members = new Map(base.members.map((entry) => [memberKey(entry.member), entry]))
  return { ...base, members, active: new Set(base.active) }
}

function read(space: Space, member: Member, upTo: number): Space {
  const key = memberKey(member)
  const entry = space.members.get(key)
  if (!entry || entry.read >= upTo) return space
  return { ...space, members: new Map(space.members).set(key, { ...entry, read: upTo }) }
}

function without(active: ReadonlySet<string>, { kind, id }: Member): ReadonlySet<string> {
  if (kind !== 'agent' || !active.has(id)) return active
  const left = new Set(active)
  left.delete(id)
  return left
}

function impossible(event: Written, why: string): never {
  throw new HoldpointError(
    'history-impossible',
    `Event ${event.seq} (${event.type}) cannot have happened: ${why}. The log is damaged; restore it.`,
  )
}
