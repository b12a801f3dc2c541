/**
 * Shows the visible calls of an autonomous agent in spaces: the agent's log sends a notice when the agent enters or leaves a
 * space, and for each step of a call that is shown there. See `log/notice.ts`.
 */
import type { LogEvent } from '../log/log-event.ts'
import { withNotices, type UnnumberedNotice } from '../log/notice.ts'
import { isSpaceEvent, type ShownEvent, type ShownHold } from '../log/space-event.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Hold } from './hold.ts'
import type { Call, Conversation } from './turn-state.ts'

/** Adds the notices of an event to the outbox. Most conversations have no spaces, so that is checked first. */
export function showInSpaces(before: Conversation, after: Conversation, event: LogEvent): Conversation {
  if (before.space === undefined && after.space === undefined && !concernsSpace(before, event)) return after
  const notices = [...moves(before, after), ...shows(before, event)]
  const { turn, space } = after
  const settled = turn.phase === 'rest' && space !== undefined ? { ...after, space: undefined } : after
  return withNotices(settled, event, notices)
}

/** For an agent that is in no space now: a late answer, or a call that was made before the agent left its space. */
function concernsSpace(before: Conversation, event: LogEvent): boolean {
  if (event.type === 'answer.arrived') return event.shownIn !== undefined
  return callMadeInSpace(before, event) !== undefined
}

/** The agent entered a space or left it. At rest it is in none. */
function moves(before: Conversation, after: Conversation): readonly UnnumberedNotice[] {
  const { agent } = after
  const now = after.turn.phase === 'rest' ? undefined : after.space
  if (before.space === now) return []
  return [
    ...(before.space === undefined ? [] : [shown(before.space, { type: 'agent.rested', agent })]),
    ...(now === undefined ? [] : [shown(now, { type: 'agent.activated', agent })]),
  ]
}

/** A step of a call that is shown in a space. */
function shows(before: Conversation, event: LogEvent): readonly UnnumberedNotice[] {
  const { agent } = before
  if (event.type === 'answer.arrived')
    return event.shownIn === undefined ? [] : [shown(event.shownIn, ended(agent, event.callId, event.outcome))]
  const call = callMadeInSpace(before, event)
  if (!call?.inSpace?.shown) return []
  const { space } = call.inSpace
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
    // A call that is tried again was shown as running all the time.
    const waited = call.at === 'ready' && call.holds > 0
    return waited ? [shown(space, { type: 'tool.changed', agent, toolCallId: callId, input, status: 'running' })] : []
  }
  if (event.type !== 'call.settled') return []
  // The model continues, but the async call still waits for its answer.
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

/** Approvals and worker calls show only their kind: their details are for approvers and workers, who ask for the hold. */
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

/** The call that the event is about, if it was made in a space. */
function callMadeInSpace({ turn }: Conversation, event: LogEvent): Call | undefined {
  if (turn.phase !== 'calls' || isSpaceEvent(event) || !('callId' in event)) return undefined
  return turn.calls.find(({ callId, inSpace }) => inSpace !== undefined && callId === event.callId)
}
