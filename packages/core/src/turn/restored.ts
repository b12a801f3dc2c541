/**
 * What a conversation does after its store was restored from a backup. The log may have lost events: a call may have run, a
 * person may have answered, and the model may have been called, all after the backup. So nothing goes on by itself:
 *
 * | at the backup              | after the restore |
 * |---|---|
 * | a call ready or running    | in doubt: the tool's `onLost` decides |
 * | a call held                | held for as long as at first, with a reason that tells people about the restore |
 * | a turn that calls the model | ended as `interrupted`, unless a person first answers one of its calls |
 * | messages that wait, plans, notices | wait until the next message or answer |
 */
import type { LogEvent } from '../log/log-event.ts'
import { accept, type Decision } from './decision.ts'
import { restoreCall } from './restore-call.ts'
import type { Conversation } from './turn-state.ts'

export const INTERRUPTED_BY_RESTORE =
  'The store was restored from a backup during this turn. What happened after the backup is not known. Continue the turn, or send a new message.'

/** A conversation at rest without anything that waits needs no event. */
export function decideRestored(state: Conversation): Decision {
  const { erased, turn, queue, waiting, plans, outbox } = state
  const idle = turn.phase === 'rest' && queue.length + waiting.size + plans.size + outbox.length === 0
  return erased || idle ? accept() : accept({ type: 'conversation.restored' })
}

export function evolveRestored(
  state: Conversation,
  event: Extract<LogEvent, { readonly type: 'conversation.restored' }>,
): Conversation {
  const { turn } = state
  const waiting = new Map([...state.waiting].map(([id, call]) => [id, restoreCall(call, event)]))
  const moved = turn.phase === 'calls' ? { ...turn, calls: turn.calls.map((call) => restoreCall(call, event)) } : turn
  return { ...state, seq: event.seq, restored: true, turn: moved, waiting }
}

/** Whether a message or an answer came, so that the conversation goes on. */
export function goesOnAfterRestore(event: LogEvent): boolean {
  const { type } = event
  if (type === 'turn.started' || type === 'message.queued') return true
  return 'resolution' in event && event.resolution !== undefined
}
