/**
 * The messages and calls that agents are writing in a space at the moment. Frames may be lost or repeated, so each piece has
 * its position. The event that follows replaces the text.
 */
import type { SpaceFrame } from '@holdpoint/core/internal/log/space-frame'
import type { Member, SpaceEvent } from '@holdpoint/core/internal/log/space-event'

export interface SpaceWriting {
  readonly agent: string
  /** The id of the message or call. */
  readonly id: string
  /** The tool's name, for the arguments of a call. */
  readonly name?: string
  readonly text: string
}

/** A piece of text at a position. */
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

/** Adds a frame. A piece after a missing one is ignored: the event will have the whole text. */
export function addWriting(writing: readonly SpaceWriting[], frame: SpaceFrame): readonly SpaceWriting[] {
  const { agent, id, name, at, delta } = pieceOf(frame)
  const known = writing.findIndex((each) => each.agent === agent && each.id === id)
  const before = writing[known]?.text ?? ''
  if (at > before.length) return writing
  const now: SpaceWriting = { agent, id, ...(name !== undefined && { name }), text: before.slice(0, at) + delta }
  return known < 0 ? [...writing, now] : writing.with(known, now)
}

/** Removes what an event completes or ends. An agent's messages are posted in the order in which it wrote them. */
export function removeWriting(
  writing: readonly SpaceWriting[],
  event: SpaceEvent | { readonly type: 'notices.delivered' },
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
    case 'space.erased':
      return []
    case 'space.opened':
    case 'member.joined':
    case 'messages.read':
    case 'agent.activated':
    case 'tool.changed':
    case 'tool.done':
    case 'tool.error':
    case 'notices.delivered':
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
