/**
 * What an event means for other logs: a message in a space is news for the agents there, and what an agent does in a
 * space is shown to everybody in it. The outbox keeps each until it is told. It is told under an id of its own, so that
 * however often that is tried, it is heard once.
 */
import type { LogEvent } from '../log/log-event.ts'
import type { InboxEvent } from '../log/message.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import { isSpaceEvent, type ShownEvent } from '../space/space-event.ts'
import type { Call, Conversation } from './turn-state.ts'

/** `n` is unique among the notices of its log. */
export type Notice = {
  readonly n: string
} &
  // One for all of them: what was said is kept once, however many are to hear it.
  (
    | { readonly agents: readonly string[]; readonly at: number; readonly message: SpaceMessage }
    | { readonly space: string; readonly show: ShownEvent }
  )

/** A notice for one of those it is for. */
export type Telling = {
  readonly n: string
} & (
  | { readonly agent: string; readonly at: number; readonly message: SpaceMessage }
  | { readonly space: string; readonly show: ShownEvent }
)

export function tellingsOf(notice: Notice): readonly Telling[] {
  if ('space' in notice) return [notice]
  const { agents, ...rest } = notice
  return agents.map((agent) => ({ ...rest, agent }))
}

/** Without the space, which whoever tells it knows. */
type SpaceMessage = Omit<Extract<InboxEvent, { readonly type: 'space.message' }>, 'space'>

/** Most logs are those of conversations that take place in no space at all. */
export function withNotices(before: Conversation, after: Conversation, event: LogEvent): Conversation {
  if (!after.space && before.place === undefined && after.place === undefined && !concernsSpace(before, event))
    return after
  const notices = after.space ? news(after, event) : [...moves(before, after), ...shows(before, event)]
  const { turn, place } = after
  const settled = turn.phase === 'rest' && place !== undefined ? { ...after, place: undefined } : after
  if (notices.length === 0) return settled
  const numbered = notices.map((notice, index): Notice => ({ ...notice, n: `${event.seq}.${index}` }))
  return { ...settled, outbox: [...settled.outbox, ...numbered] }
}

type Unnumbered = Notice extends infer N ? (N extends Notice ? Omit<N, 'n'> : never) : never

/** An answer to a call of an earlier turn, or the end of a round that began in a space which the agent left since. */
function concernsSpace(before: Conversation, event: LogEvent): boolean {
  if (event.type === 'answer.arrived') return event.shownIn !== undefined
  return placedCall(before, event) !== undefined
}

/** What was said wakes every agent in the space but the one who said it. */
function news({ space }: Conversation, event: LogEvent): readonly Unnumbered[] {
  if (!space || event.type !== 'message.posted' || event.quiet) return []
  const { from, text, replyTo, seq, at } = event
  const message: SpaceMessage = {
    type: 'space.message',
    name: space.name,
    seq,
    from,
    text,
    ...(replyTo !== undefined && { replyTo }),
  }
  const agents = Array.from(space.members.values()).flatMap(({ member: { kind, id } }) =>
    kind === 'agent' && !(from.kind === 'agent' && from.id === id) ? [id] : [],
  )
  return agents.length > 0 ? [{ agents, at, message }] : []
}

/** The agent came into a space, or left it; at the end of a turn it is in none. */
function moves(before: Conversation, after: Conversation): readonly Unnumbered[] {
  const { agent } = after
  const now = after.turn.phase === 'rest' ? undefined : after.place
  if (before.place === now) return []
  return [
    ...(before.place === undefined ? [] : [shown(before.place, { type: 'agent.rested', agent })]),
    ...(now === undefined ? [] : [shown(now, { type: 'agent.activated', agent })]),
  ]
}

/** What becomes of a call that is shown in a space. */
function shows(before: Conversation, event: LogEvent): readonly Unnumbered[] {
  const { agent } = before
  if (event.type === 'answer.arrived')
    return event.shownIn === undefined ? [] : [shown(event.shownIn, ended(agent, event.callId, event.outcome))]
  const call = placedCall(before, event)
  if (!call?.place?.shown) return []
  const { space } = call.place
  const { callId, name } = call
  const input = call.edited ?? call.proposed
  const fresh = call.at === 'ready' && call.holds === 0 && call.attempt === 0
  const began = (now: Pick<Extract<ShownEvent, { type: 'tool.started' }>, 'status' | 'hold'>): Unnumbered =>
    shown(space, { type: 'tool.started', agent, toolCallId: callId, name, input, ...now })
  if (event.type === 'call.held') {
    const now = { status: 'requires_action', hold: { kind: event.hold.kind, nth: call.holds + 1 } } as const
    return [fresh ? began(now) : shown(space, { type: 'tool.changed', agent, toolCallId: callId, input, ...now })]
  }
  if (event.type === 'call.started') {
    if (fresh) return [began({ status: 'running' })]
    // One that is tried again was running all the time.
    const waited = call.at === 'ready' && call.holds > 0
    return waited ? [shown(space, { type: 'tool.changed', agent, toolCallId: callId, input, status: 'running' })] : []
  }
  if (event.type !== 'call.settled') return []
  // The model goes on, but the call still waits for its answer.
  if (call.at === 'held' && call.hold.async && !event.resolution && event.outcome.ok) return []
  const changed = call.resolved.length > 0 && call.edited !== undefined ? { input: call.edited } : {}
  return [...(fresh ? [began({ status: 'running' })] : []), shown(space, ended(agent, callId, event.outcome, changed))]
}

function ended(
  agent: string,
  toolCallId: string,
  outcome: CallOutcome,
  changed: Pick<Extract<ShownEvent, { type: 'tool.done' }>, 'input'> = {},
): ShownEvent {
  return outcome.ok
    ? { type: 'tool.done', agent, toolCallId, output: outcome.value, ...changed }
    : { type: 'tool.error', agent, toolCallId, error: outcome.error }
}

function shown(space: string, show: ShownEvent): Unnumbered {
  return { space, show }
}

/** The call that it is about, if that was made in a space. Where it was is looked at first: it costs less than its id. */
function placedCall({ turn }: Conversation, event: LogEvent): Call | undefined {
  if (turn.phase !== 'calls' || isSpaceEvent(event) || !('callId' in event)) return undefined
  return turn.calls.find(({ callId, place }) => place !== undefined && callId === event.callId)
}
