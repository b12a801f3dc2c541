/** Compares the acknowledged requests and the effects of the tools with the logs at the end. */
import { fold, type LogEvent } from '@holdpoint/core'
import type { Effect } from './desk.ts'

export interface Acked {
  readonly created: string[]
  /** Conversations with one turn, which was cancelled. */
  readonly cancelled: string[]
  readonly sent: { readonly sent: string; readonly id: string }[]
  readonly answered: { readonly answered: string; readonly id: string; readonly by: string }[]
  /** Errors that a process found itself. */
  readonly broken: string[]
}

export interface Judgement {
  readonly acked: number
  /** Requests that were acknowledged and are not in the log, and logs that are invalid. */
  readonly lost: number
  /** Requests that are in the log twice, and effects that happened twice. */
  readonly doubled: number
  readonly problems: readonly string[]
}

export type Logs = ReadonlyMap<string, readonly LogEvent[]>

export function nothingAcked(): Acked {
  return { created: [], cancelled: [], sent: [], answered: [], broken: [] }
}

export function judge(logs: Logs, acked: Acked, effects: readonly Effect[]): Judgement {
  const { created, cancelled, sent, answered, broken } = acked
  const messages = messagesIn(logs)
  const there = new Set([...messages.keys(), ...queuedIn(logs)])
  const answers = answersIn(logs)
  const known = new Set(answers.map(({ what }) => what))
  const lost = [
    ...senseless(logs),
    ...created.filter((id) => !logs.has(id)).map((id) => `conversation ${id}`),
    ...cancelled.filter((id) => !logs.get(id)?.some(isCancelled)).map((id) => `the end of ${id}`),
    ...sent.filter((each) => !there.has(`${each.id} ${each.sent}`)).map((each) => `message ${each.sent}`),
    ...answered
      .filter((each) => !known.has(`${each.answered} by ${each.by}`))
      .map((each) => `answer to ${each.answered} by ${each.by}`),
    ...withoutEffect(logs, effects),
  ].map((what) => `lost: ${what}`)
  const doubled = [
    ...broken,
    ...moreThanOnce(messages),
    ...moreThanOnce(count(answers.map(({ type, what, hold }) => `${type} of ${what}, hold ${hold}`))),
    ...moreThanOnce(decisionsIn(logs)),
    ...effectsTwice(effects),
  ].map((what) => `doubled: ${what}`)
  return {
    acked: created.length + cancelled.length + sent.length + answered.length,
    lost: lost.length,
    doubled: doubled.length,
    problems: [...lost, ...doubled],
  }
}

/** Invalid logs: with a gap, or with an impossible event. */
function senseless(logs: Logs): string[] {
  return [...logs].flatMap(([id, events]) => {
    try {
      fold(events)
      return []
    } catch (error) {
      return [`the log of ${id}: ${String(error)}`]
    }
  })
}

/** The messages that turns contain. */
function messagesIn(logs: Logs): Map<string, number> {
  return count(
    [...logs].flatMap(([id, events]) =>
      events
        .flatMap((event) => (event.type === 'turn.started' ? event.items : []))
        .flatMap((item) => (item.kind === 'message' ? [`${id} ${textOf(item.message.parts)}`] : [])),
    ),
  )
}

/** The messages that a conversation took while it was busy. One that never came to its turn is not lost. */
function queuedIn(logs: Logs): string[] {
  return [...logs].flatMap(([id, events]) =>
    events.flatMap((event) =>
      event.type === 'message.queued' && event.item.kind === 'message'
        ? [`${id} ${textOf(event.item.message.parts)}`]
        : [],
    ),
  )
}

/** The callers that answered a call. The last of several approvers appears twice: as one of them, and as the last. */
export function answersIn(logs: Logs): Answered[] {
  const holds = new Map<string, number>()
  return allEvents(logs).flatMap((event): Answered[] => {
    if (event.type === 'call.held') holds.set(event.callId, (holds.get(event.callId) ?? 0) + 1)
    if (!('callId' in event) || !('by' in event)) return []
    const answer = { type: event.type, what: `${event.callId} by ${event.by}`, hold: holds.get(event.callId) ?? 0 }
    if (event.type === 'call.endorsed') return [answer]
    if (event.type !== 'call.approved' && event.type !== 'call.settled' && event.type !== 'answer.arrived') return []
    return event.resolution ? [answer] : []
  })
}

export interface Answered {
  readonly type: LogEvent['type']
  /** The call and the person. */
  readonly what: string
  /** Which hold of the call, from 1. A call whose process died is held again, and the same person may answer that, too. */
  readonly hold: number
}

/**
 * Decisions that each call may have only once. A call may be approved once for each time it was held, because a call that
 * repeatedly crashed its process is held again.
 */
function decisionsIn(logs: Logs): Map<string, number> {
  const holds = new Map<string, number>()
  return count(
    allEvents(logs).flatMap((event) => {
      switch (event.type) {
        case 'call.held':
          holds.set(event.callId, (holds.get(event.callId) ?? 0) + 1)
          return []
        case 'call.approved':
        case 'call.resumed':
        case 'hold.reminded':
        case 'hold.escalated':
          return [`${event.type} of ${event.callId}, hold ${holds.get(event.callId)}`]
        case 'call.settled':
        case 'answer.arrived':
          return [`${event.type} of ${event.callId}`]
        case 'call.started':
          return [`attempt ${event.attempt} of ${event.callId}`]
        case 'conversation.opened':
        case 'conversation.forked':
        case 'participants.changed':
        case 'conversation.erased':
        case 'conversation.restored':
        case 'turn.started':
        case 'message.queued':
        case 'message.changed':
        case 'model.replied':
        case 'call.rewritten':
        case 'call.endorsed':
        case 'hold.assigned':
        case 'hold.commented':
        case 'call.judged':
        case 'call.cleared':
        case 'state.changed':
        case 'plan.set':
        case 'plan.removed':
        case 'plan.fired':
        case 'notices.delivered':
        case 'space.opened':
        case 'space.erased':
        case 'member.joined':
        case 'member.left':
        case 'message.posted':
        case 'messages.read':
        case 'agent.activated':
        case 'agent.rested':
        case 'tool.started':
        case 'tool.changed':
        case 'tool.done':
        case 'tool.error':
        case 'turn.ended':
          return []
      }
    }),
  )
}

/** A call that must not run twice ran once; any other ran under the same id, each time as a new attempt. */
function effectsTwice(effects: readonly Effect[]): string[] {
  return [
    ...moreThanOnce(count(effects.map(({ tool, callId, attempt }) => `attempt ${attempt} of ${tool} ${callId}`))),
    ...moreThanOnce(count(effects.flatMap(({ tool, callId }) => (tool === 'note' ? [] : [`${tool} ${callId}`])))),
  ]
}

/** A call of ours that succeeded did something. */
function withoutEffect(logs: Logs, effects: readonly Effect[]): string[] {
  const done = new Set(effects.map(({ callId }) => callId))
  const pending = new Set(allEvents(logs).flatMap((event) => (event.type === 'call.started' ? [event.callId] : [])))
  return allEvents(logs).flatMap((event) =>
    event.type === 'call.settled' && event.outcome.ok && pending.has(event.callId) && !done.has(event.callId)
      ? [`${event.callId} has a result, but its tool wrote no line`]
      : [],
  )
}

function isCancelled(event: LogEvent): boolean {
  return event.type === 'turn.ended' && event.reason === 'cancelled'
}

function allEvents(logs: Logs): LogEvent[] {
  return [...logs.values()].flat()
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map(({ text = '' }) => text).join('')
}

function count(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function moreThanOnce(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].flatMap(([key, times]) => (times > 1 ? [`${key}: ${times} times`] : []))
}
