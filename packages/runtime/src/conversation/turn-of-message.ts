/** Which turn a message belongs to: it starts one, or waits in the queue for one. */
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import type { ConversationLog } from './conversation-log.ts'

/** The message is in the log, or it was refused. `repeated`: the same message was sent before under the same key. */
export type MessageTaken =
  | ({ readonly ok: true; readonly repeated?: true } & TurnOfMessage)
  | Extract<Decision, { ok: false }>

/** The id of the turn; or, while the message waits in the queue, the seq of the event that queued it. */
export interface TurnOfMessage {
  readonly turnId: string | undefined
  readonly waitsAt?: number
}

/** The id of a message's turn; undefined while the message waits in the queue. */
export function turnOfMessage(log: ConversationLog, { turnId, waitsAt }: TurnOfMessage): string | undefined {
  return turnId ?? (waitsAt === undefined ? undefined : turnFrom(log, waitsAt))
}

/** Whether the log has the turn of a message. */
export async function hasTurnOf(log: ConversationLog, message: TurnOfMessage): Promise<boolean> {
  const turnId = turnOfMessage(log, message)
  if (turnId === undefined) return false
  await log.reachTurn(turnId)
  return log.startOf(turnId) !== undefined
}

/** The turn that the event at this seq started, or that took the message which the event queued. */
export function turnFrom({ events }: ConversationLog, seq: number): string | undefined {
  const from = events.findLastIndex((event) => event.seq < seq) + 1
  const turn = events.find(
    (event, index) => index >= from && event.type === 'turn.started' && (event.seq === seq || reaches(event, seq)),
  )
  return turn?.type === 'turn.started' ? turn.turnId : undefined
}

/** A turn in an older log has no `upTo`: then it took the whole queue. */
function reaches({ queued = 0, upTo = Infinity }: { readonly queued?: number; readonly upTo?: number }, seq: number) {
  return queued > 0 && upTo >= seq
}
