/**
 * The idempotency key of a message. The store appends one message per key (`Append.key`), so a message that is sent again
 * is not appended again. The caller gets the answer for the first one.
 */
import type { Inbound } from '@holdpoint/core/internal/log/message'
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import type { Resolution } from '@holdpoint/core/internal/turn/hold'
import type { ConversationLog } from './conversation-log.ts'
import { turnFrom, type MessageTaken } from './turn-of-message.ts'

/** The answer to a message whose key was used before, by the append that ended at `seq`. */
export async function answerIdempotencyKey(
  log: ConversationLog,
  seq: number,
  item: Inbound | undefined,
): Promise<MessageTaken> {
  await log.reachBack(seq)
  const event = log.events.find((each) => each.seq === seq)
  const before = event?.type === 'turn.started' ? event.items : event?.type === 'message.queued' ? [event.item] : []
  if (event && 'resolution' in event && isAnswer(event.resolution, item))
    return { ok: true, turnId: turnBefore(log, seq), repeated: true }
  if (isSame(before, item ? [item] : [])) return { ok: true, turnId: turnFrom(log, seq), waitsAt: seq, repeated: true }
  return { ok: false, refusal: 'key-reused', message: 'This key was used for another message. Take a new one.' }
}

/** Whether the message was taken as the answer to a tool's question. */
function isAnswer(resolution: Resolution | undefined, item: Inbound | undefined): boolean {
  if (resolution?.kind !== 'answer' || !('value' in resolution) || item?.kind !== 'message') return false
  const texts = item.message.parts.map((part) => (part.type === 'text' ? part.text : undefined))
  return resolution.value === texts.join('\n')
}

function turnBefore({ events }: ConversationLog, seq: number): string | undefined {
  const turn = events.findLast((event) => event.seq < seq && event.type === 'turn.started')
  return turn?.type === 'turn.started' ? turn.turnId : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The message may be refused because it was accepted before, under the same key, and its turn is in progress. */
export async function refusedOrRepeated(
  log: ConversationLog,
  key: string | undefined,
  item: Inbound | undefined,
  refused: Extract<Decision, { readonly ok: false }>,
): Promise<MessageTaken> {
  const before = key === undefined ? undefined : await log.findKey(key)
  return before === undefined ? refused : answerIdempotencyKey(log, before, item)
}
