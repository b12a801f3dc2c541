/**
 * The machine of a space. Its state is its members and what they have read; messages are only in the log. Its only work is to
 * deliver messages to the inboxes of its agents.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine } from '@holdpoint/core/internal/log/machine'
import { withNotices, type Notice, type SpaceMessage, type UnnumberedNotice } from '@holdpoint/core/internal/log/notice'
import { erasureOf, type Erasure } from '@holdpoint/core/internal/turn/erased'
import { isSpaceEvent, SPACE } from '@holdpoint/core/internal/log/space-event'
import { evolveSpace, fromSpaceBase, toSpaceBase, type Space, type SpaceBase } from './space.ts'

export interface SpaceState {
  readonly seq: number
  /** Undefined before the first event. */
  readonly space: Space | undefined
  /** Messages that are not delivered to the agents yet, oldest first. */
  readonly outbox: readonly Notice[]
  /** Set once it was erased. Then nothing else is. */
  readonly erased: Erasure | undefined
}

export interface SpaceEffect {
  readonly do: 'deliver'
  readonly key: string
  readonly notices: readonly Notice[]
}

export const emptySpaceState: SpaceState = { seq: 0, space: undefined, outbox: [], erased: undefined }

export const spaceMachine: Machine<SpaceState, SpaceEffect> = {
  empty: emptySpaceState,
  owns: (agent) => agent === SPACE,
  begins: isSpaceEvent,
  evolve,
  next: ({ outbox }) => {
    const [first] = outbox
    return first ? [{ do: 'deliver', key: `deliver:${first.n}`, notices: outbox }] : []
  },
  deadlines: () => [],
  derive: (before, after) => ({
    agent: SPACE,
    status: after.outbox.length > 0 ? 'running' : 'idle',
    wakeAt: undefined,
    base: isBaseDue(before, after) ? toBase(after) : undefined,
    ...(after.erased && { hidden: true as const }),
    holds: [],
  }),
  fromBase,
}

function evolve(state: SpaceState, event: LogEvent): SpaceState {
  const { seq } = event
  if (state.erased) return impossible(event, 'the space was erased')
  // The tombstone is all that the store has, so it follows any event.
  if (event.type === 'space.erased' && seq > state.seq) return { ...emptySpaceState, seq, erased: erasureOf(event) }
  if (seq !== state.seq + 1) return impossible(event, `the log goes from ${state.seq} to ${seq}`)
  if (event.type === 'notices.delivered') {
    if (event.count > state.outbox.length) return impossible(event, 'more notices were delivered than the outbox has')
    return { ...state, seq, outbox: state.outbox.slice(event.count) }
  }
  if (!isSpaceEvent(event) || event.type === 'space.erased') return impossible(event, 'it is no event of a space')
  const space = evolveSpace(state.space, event)
  return withNotices({ ...state, seq, space }, event, messages(space, event))
}

/** A message goes to every agent in the space except its author. */
function messages(space: Space, event: LogEvent): readonly UnnumberedNotice[] {
  if (event.type !== 'message.posted' || event.quiet) return []
  const { from, text, replyTo, requesters, seq, at } = event
  const message: SpaceMessage = {
    type: 'space.message',
    name: space.name,
    seq,
    from,
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(requesters !== undefined && { requesters }),
  }
  const agents = Array.from(space.members.values()).flatMap(({ member: { kind, id } }) =>
    kind === 'agent' && !(from.kind === 'agent' && from.id === id) ? [id] : [],
  )
  return agents.length > 0 ? [{ agents, at, message }] : []
}

type Base = { readonly space: SpaceBase; readonly outbox?: readonly Notice[] } | { readonly erased: Erasure }

/** With many members the state is larger than an event, so it is kept after every few events only. */
function isBaseDue(before: SpaceState, { seq, space, erased }: SpaceState): boolean {
  if (erased) return true
  const every = 1 + Math.floor((space?.members.size ?? 0) / 32)
  return before.seq === 0 || Math.floor(before.seq / every) !== Math.floor(seq / every)
}

function toBase({ space, outbox, erased }: SpaceState): Json | undefined {
  if (erased) return { erased } satisfies Base as unknown as Json
  if (!space) return undefined
  const base: Base = { space: toSpaceBase(space), ...(outbox.length > 0 && { outbox }) }
  return base as unknown as Json
}

function fromBase(seq: number, json: Json): SpaceState {
  const base = json as unknown as Base
  if ('erased' in base) return { ...emptySpaceState, seq, erased: base.erased }
  const { space, outbox = [] } = base
  return { ...emptySpaceState, seq, space: fromSpaceBase(space), outbox }
}

function impossible(event: LogEvent, why: string): never {
  throw new HoldpointError(
    'history-impossible',
    `Event ${event.seq} (${event.type}) cannot have happened: ${why}. The log is damaged; restore it.`,
  )
}
