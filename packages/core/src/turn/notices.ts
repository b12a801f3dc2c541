/**
 * What a conversation tells spaces: that the agent came or left, and each step of a call that is shown there. See
 * `log/notice.ts`.
 */
import type { LogEvent } from '../log/log-event.ts'
import { withNotices, type UnnumberedNotice } from '../log/notice.ts'
import { isSpaceEvent, type ShownEvent, type ShownHold } from '../log/space-event.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold } from './hold.ts'
import type { Call, Conversation } from './turn-state.ts'

/** Most conversations take place in no space at all. */
export function tellSpaces(before: Conversation, after: Conversation, event: LogEvent): Conversation {
  if (before.place === undefined && after.place === undefined && !concernsSpace(before, event)) return after
  const notices = [...moves(before, after), ...shows(before, event)]
  const { turn, place } = after
  const settled = turn.phase === 'rest' && place !== undefined ? { ...after, place: undefined } : after
  return withNotices(settled, event, notices)
}

/** An answer to a call of an earlier turn, or the end of a round that began in a space which the agent left since. */
function concernsSpace(before: Conversation, event: LogEvent): boolean {
  if (event.type === 'answer.arrived') return event.shownIn !== undefined
  return placedCall(before, event) !== undefined
}

/** The agent came into a space, or left it; at the end of a turn it is in none. */
function moves(before: Conversation, after: Conversation): readonly UnnumberedNotice[] {
  const { agent } = after
  const now = after.turn.phase === 'rest' ? undefined : after.place
  if (before.place === now) return []
  return [
    ...(before.place === undefined ? [] : [shown(before.place, { type: 'agent.rested', agent })]),
    ...(now === undefined ? [] : [shown(now, { type: 'agent.activated', agent })]),
  ]
}

/** The steps of a call that is shown in a space. */
function shows(before: Conversation, event: LogEvent): readonly UnnumberedNotice[] {
  const { agent } = before
  if (event.type === 'answer.arrived')
    return event.shownIn === undefined ? [] : [shown(event.shownIn, ended(agent, event.callId, event.outcome))]
  const call = placedCall(before, event)
  if (!call?.place?.shown) return []
  const { space } = call.place
  const { callId, name, streaming } = call
  const input = call.edited ?? call.proposed
  const fresh = call.at === 'ready' && call.holds === 0 && call.attempt === 0
  const began = (now: Pick<Extract<ShownEvent, { type: 'tool.started' }>, 'status' | 'hold'>): UnnumberedNotice =>
    shown(space, {
      type: 'tool.started',
      agent,
      toolCallId: callId,
      name,
      input,
      ...now,
      ...(streaming && { streaming }),
    })
  if (event.type === 'call.held') {
    const now = { status: 'requires_action', hold: shownHold(event.hold, call.holds + 1) } as const
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

/** An approval is for those who may approve, and a worker's call for workers: they ask for the hold itself. */
function shownHold({ kind, expiresAt, reason, answerSchema, url }: Hold, nth: number): ShownHold {
  if (kind !== 'elicitation' && kind !== 'client') return { kind, nth }
  return {
    kind,
    nth,
    expiresAt,
    ...(reason !== undefined && { reason }),
    ...(answerSchema && { answerSchema }),
    ...(url !== undefined && { url }),
  }
}

function shown(space: string, show: ShownEvent): UnnumberedNotice {
  return { space, show }
}

/** The call that it is about, if that was made in a space. Where it was is looked at first: it costs less than its id. */
function placedCall({ turn }: Conversation, event: LogEvent): Call | undefined {
  if (turn.phase !== 'calls' || isSpaceEvent(event) || !('callId' in event)) return undefined
  return turn.calls.find(({ callId, place }) => place !== undefined && callId === event.callId)
}
