/** What became of something a caller said: it is written, and starts a turn of its own or waits for one. */
import type { Inbound } from '../log/message.ts'
import type { Decision } from '../turn/decide.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ConversationLog } from './conversation-log.ts'

/** What was said is written, and starts a turn or waits for one (then there is no id). Or it was refused. */
export type Begun =
  | { readonly ok: true; readonly turnId: string | undefined; readonly repeated?: true }
  | Extract<Decision, { ok: false }>

/** Where what was said waits for its turn, if it does. */
export interface Waits {
  readonly waitsAt?: number
}

/** The caller's key was used before: by the same message, sent twice, or by mistake. */
export async function begunBefore(
  log: ConversationLog,
  seq: number,
  item: Inbound | undefined,
): Promise<Begun & Waits> {
  await log.reachBack(seq)
  const event = log.events.find((each) => each.seq === seq)
  const before = event?.type === 'turn.started' ? event.items : event?.type === 'message.queued' ? [event.item] : []
  if (event && 'resolution' in event && isAnswer(event.resolution, item))
    return { ok: true, turnId: turnBefore(log, seq), repeated: true }
  if (isSame(before, item ? [item] : [])) return { ok: true, turnId: turnFrom(log, seq), waitsAt: seq, repeated: true }
  return { ok: false, refusal: 'key-reused', message: 'This key was used for another message. Take a new one.' }
}

/** The turn that a caller's words are about; not known while they wait. */
export function ownTurn(
  log: ConversationLog,
  { turnId, waitsAt }: { readonly turnId: string | undefined } & Waits,
): string | undefined {
  return turnId ?? (waitsAt === undefined ? undefined : turnFrom(log, waitsAt))
}

/** The turn that what was written there started, or was taken up by after it had waited. */
function turnFrom({ events }: ConversationLog, seq: number): string | undefined {
  const from = events.findLastIndex((event) => event.seq < seq) + 1
  const turn = events.find(
    (event, index) => index >= from && event.type === 'turn.started' && (event.seq === seq || reaches(event, seq)),
  )
  return turn?.type === 'turn.started' ? turn.turnId : undefined
}

/** The message was taken as the answer to a question. */
function isAnswer(resolution: Resolution | undefined, item: Inbound | undefined): boolean {
  if (resolution?.kind !== 'answer' || !('value' in resolution) || item?.kind !== 'message') return false
  const texts = item.message.parts.map((part) => (part.type === 'text' ? part.text : undefined))
  return resolution.value === texts.join('\n')
}

function turnBefore({ events }: ConversationLog, seq: number): string | undefined {
  const turn = events.findLast((event) => event.seq < seq && event.type === 'turn.started')
  return turn?.type === 'turn.started' ? turn.turnId : undefined
}

/** An older log does not say how far a turn took what waited: then it took everything. */
function reaches({ queued = 0, upTo = Infinity }: { readonly queued?: number; readonly upTo?: number }, seq: number) {
  return queued > 0 && upTo >= seq
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
