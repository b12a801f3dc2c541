/**
 * What agents are writing in a space at the moment: text that is there before its message is. Made of frames, which may
 * be lost or come again, so each piece says where it belongs; the event that follows takes its place.
 */
import type { SpaceFrame } from '../log/space-frame.ts'
import type { Member, SpaceEvent } from '../log/space-event.ts'

export interface SpaceWriting {
  readonly agent: string
  /** Tells one piece of writing from another. Where it is a call, the id of the call. */
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

function pieceOf(frame: SpaceFrame): Piece {
  switch (frame.type) {
    case 'message.streaming':
      return frame
    case 'tool.started':
      return { agent: frame.agent, id: frame.toolCallId, name: frame.name, at: 0, delta: '' }
    case 'tool.streaming':
      return { ...frame, id: frame.toolCallId }
  }
}

/** A piece whose beginning was missed is passed over: the event will say all of it. */
export function wrote(writing: readonly SpaceWriting[], frame: SpaceFrame): readonly SpaceWriting[] {
  const { agent, id, name, at, delta } = pieceOf(frame)
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
      return isAgent(event.from) ? withoutFirstMessage(writing, event.from.id) : writing
    case 'tool.started':
      return writing.filter(({ id }) => id !== event.toolCallId)
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

function withoutFirstMessage(writing: readonly SpaceWriting[], agent: string): readonly SpaceWriting[] {
  const first = writing.findIndex((each) => each.agent === agent && each.name === undefined)
  return first < 0 ? writing : writing.toSpliced(first, 1)
}

function without(writing: readonly SpaceWriting[], agent: string): readonly SpaceWriting[] {
  return writing.some((each) => each.agent === agent) ? writing.filter((each) => each.agent !== agent) : writing
}
