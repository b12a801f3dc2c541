/**
 * What agents are writing in a space at the moment: text that is there before its message is. Made of frames, which may
 * be lost or come again, so each piece says where it belongs; the event that follows takes its place.
 */
import type { Member, SpaceEvent } from './space-event.ts'

export interface SpaceWriting {
  readonly agent: string
  /** Tells one piece of writing from another. */
  readonly id: string
  /** The tool, when it is the arguments of a call; a message has none. */
  readonly name?: string
  readonly text: string
}

/** A frame, as far as it matters here. */
interface Piece extends Omit<SpaceWriting, 'text'> {
  readonly at: number
  readonly delta: string
}

/** A piece whose beginning was missed is passed over: the event will say all of it. */
export function wrote(
  writing: readonly SpaceWriting[],
  { agent, id, name, at, delta }: Piece,
): readonly SpaceWriting[] {
  const known = writing.findIndex((each) => each.agent === agent && each.id === id)
  const before = writing[known]?.text ?? ''
  if (at > before.length) return writing
  const now: SpaceWriting = { agent, id, ...(name !== undefined && { name }), text: before.slice(0, at) + delta }
  return known < 0 ? [...writing, now] : writing.with(known, now)
}

/** What was written is there now, or never will be. An agent's messages come in the order in which it wrote them. */
export function written(
  writing: readonly SpaceWriting[],
  event: SpaceEvent | { readonly type: 'notices.told' },
): readonly SpaceWriting[] {
  if (writing.length === 0) return writing
  switch (event.type) {
    case 'message.posted':
      return isAgent(event.from) ? withoutFirst(writing, event.from.id, undefined) : writing
    case 'tool.started':
      return withoutFirst(writing, event.agent, event.name)
    case 'agent.rested':
      return without(writing, event.agent)
    case 'member.left':
      return isAgent(event.member) ? without(writing, event.member.id) : writing
    case 'space.opened':
    case 'member.joined':
    case 'messages.read':
    case 'agent.activated':
    case 'tool.changed':
    case 'tool.done':
    case 'tool.error':
    case 'notices.told':
      return writing
  }
}

function isAgent({ kind }: Member): boolean {
  return kind === 'agent'
}

function withoutFirst(
  writing: readonly SpaceWriting[],
  agent: string,
  name: string | undefined,
): readonly SpaceWriting[] {
  const first = writing.findIndex((each) => each.agent === agent && each.name === name)
  return first < 0 ? writing : writing.toSpliced(first, 1)
}

function without(writing: readonly SpaceWriting[], agent: string): readonly SpaceWriting[] {
  return writing.some((each) => each.agent === agent) ? writing.filter((each) => each.agent !== agent) : writing
}
