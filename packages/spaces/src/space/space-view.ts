/**
 * The view of a space: its members and messages, and the tool calls that are shown among them. One function builds it from
 * events, for the gateway, the client and the tests. An event that is applied twice changes nothing.
 */
import type { Json } from '@holdpoint/core/internal/json'
import { erasureOf, type Erasure } from '@holdpoint/core/internal/turn/erased'
import type { Space, SpaceMember } from './space.ts'
import {
  memberKey,
  type Member,
  type ShownHold,
  type SpaceEvent,
  type ToolFailure,
} from '@holdpoint/core/internal/log/space-event'
import type { SpaceFrame } from '@holdpoint/core/internal/log/space-frame'
import { removeWriting, addWriting, type SpaceWriting } from './space-writing.ts'

export interface SpaceView {
  readonly name: string
  /** The seq of the first event that it shows, and of the last. */
  readonly from: number
  readonly seq: number
  /** Set when events are missing: the newest seq that is known. */
  readonly behind?: number
  readonly members: readonly SpaceMember[]
  /** Agents that work here at the moment. */
  readonly active: readonly string[]
  readonly messages: readonly SpaceMessage[]
  /** Agents have reached the limit of messages in a row: only a message of a person wakes them. */
  readonly quiet: boolean
  /** Messages and calls that agents are writing at the moment. Made of frames, never stored. */
  readonly writing: readonly SpaceWriting[]
  /** Set once the space was erased. Then there is nothing else to show. */
  readonly erased?: Erasure
}

/** A message, or a visible tool call. A tool call cannot be replied to. */
export type SpaceMessage =
  | {
      readonly kind: 'message'
      readonly seq: number
      readonly at: number
      readonly from: Member
      readonly text: string
      readonly replyTo?: number
      /** It woke no agent. */
      readonly quiet?: true
    }
  | ToolMessage

export interface ToolMessage {
  readonly kind: 'tool'
  readonly seq: number
  readonly at: number
  readonly agent: string
  readonly toolCallId: string
  readonly name: string
  readonly input: Json
  readonly status: 'running' | 'requires_action' | 'complete' | 'error'
  /** What it waits for. */
  readonly hold?: ShownHold
  /** Its tool reports progress. */
  readonly streaming?: true
  readonly output?: Json
  readonly error?: ToolFailure
  readonly endedAt?: number
}

/** As the log has it. What belongs to a conversation moves the seq, and shows nothing. */
type Written = { readonly seq: number; readonly at: number } & (SpaceEvent | { readonly type: 'notices.delivered' })

export const emptySpaceView: SpaceView = {
  name: '',
  from: 1,
  seq: 0,
  members: [],
  active: [],
  messages: [],
  quiet: false,
  writing: [],
}

/** A page of a space, and who is in it as of now. */
export function spaceViewOf(events: Iterable<Written>, space?: Space, seq?: number): SpaceView {
  let view = emptySpaceView
  for (const event of events) view = applySpaceEvent(view, event)
  if (!space) return view
  return {
    ...view,
    ...(view.seq === 0 && seq !== undefined && { from: seq + 1, seq }),
    name: space.name,
    members: [...space.members.values()],
    active: [...space.active],
    quiet: space.chain > space.agentMessages,
  }
}

export function applySpaceEvent(view: SpaceView, event: Written): SpaceView {
  const { seq } = event
  if (seq <= view.seq) return view
  // No event from before it exists any more, so it follows any other.
  if (event.type === 'space.erased') return { ...emptySpaceView, seq, erased: erasureOf(event) }
  const { behind = 0, ...known } = view
  const fresh = view.seq === 0
  if (!fresh && seq > view.seq + 1) return seq > behind ? { ...view, behind: seq } : view
  const writing = removeWriting(view.writing, event)
  return {
    ...known,
    ...(behind > seq && { behind }),
    ...(fresh && { from: seq }),
    seq,
    writing,
    ...changes(view, event),
  }
}

/** Applies a frame: a piece of a message or a call that is being written. A frame that comes after its call is ignored. */
export function applySpaceFrame(view: SpaceView, frame: SpaceFrame): SpaceView {
  if (view.erased) return view
  if (frame.type !== 'message.streaming' && isThere(view, frame.toolCallId)) return view
  const writing = addWriting(view.writing, frame)
  return writing === view.writing ? view : { ...view, writing }
}

function isThere({ messages }: SpaceView, callId: string): boolean {
  return messages.some((message) => message.kind === 'tool' && message.toolCallId === callId)
}

function changes(view: SpaceView, event: Exclude<Written, { type: 'space.erased' }>): Partial<SpaceView> {
  const { members, active, messages } = view
  switch (event.type) {
    case 'space.opened':
      return { name: event.name }
    case 'member.joined': {
      const { member, role, at } = event
      const known = members.find((each) => same(each.member, member))
      const entry: SpaceMember = known ? { ...known, role } : { member, role, joinedAt: at, read: 0 }
      return { members: known ? members.with(members.indexOf(known), entry) : [...members, entry] }
    }
    case 'member.left':
      return {
        members: members.filter((each) => !same(each.member, event.member)),
        active: event.member.kind === 'agent' ? active.filter((each) => each !== event.member.id) : active,
      }
    case 'message.posted': {
      const { type: _type, quiet, ...said } = event
      const message: SpaceMessage = { kind: 'message', ...said, ...(quiet && { quiet }) }
      return { messages: [...messages, message], members: read(members, event.from, event.seq), quiet: quiet === true }
    }
    case 'messages.read':
      return { members: read(members, event.member, event.upTo) }
    case 'agent.activated':
      return active.includes(event.agent) ? {} : { active: [...active, event.agent] }
    case 'agent.rested':
      return { active: active.filter((each) => each !== event.agent) }
    case 'tool.started': {
      const { type: _type, ...call } = event
      return { messages: [...messages, { kind: 'tool', ...call }] }
    }
    case 'tool.changed': {
      const { toolCallId, input, status, hold } = event
      return changeTool(messages, toolCallId, { input, status, ...(hold && { hold }) })
    }
    case 'tool.done': {
      const { toolCallId, output, input, at: endedAt } = event
      return changeTool(messages, toolCallId, {
        status: 'complete',
        output,
        endedAt,
        ...(input !== undefined && { input }),
      })
    }
    case 'tool.error': {
      const { toolCallId, error, at: endedAt } = event
      return changeTool(messages, toolCallId, { status: 'error', error, endedAt })
    }
    case 'notices.delivered':
      return {}
  }
}

function read(members: readonly SpaceMember[], member: Member, upTo: number): readonly SpaceMember[] {
  return members.map((each) => (same(each.member, member) && each.read < upTo ? { ...each, read: upTo } : each))
}

/** Searches from the end, because the call is nearly always new. A call before the page is not in the view. */
function changeTool(
  messages: readonly SpaceMessage[],
  toolCallId: string,
  change: Partial<ToolMessage>,
): Partial<SpaceView> {
  const at = messages.findLastIndex((message) => message.kind === 'tool' && message.toolCallId === toolCallId)
  const found = messages[at]
  if (found?.kind !== 'tool') return {}
  // Neither outlives what is said next.
  const { hold: _hold, error: _error, ...call } = found
  return { messages: messages.with(at, { ...call, ...change }) }
}

function same(a: Member, b: Member): boolean {
  return memberKey(a) === memberKey(b)
}
