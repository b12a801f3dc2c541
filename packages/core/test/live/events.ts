/** Short ways to write a log: bodies without seq and time; event n happened at 100 × n. */
import type { Json } from '../../src/json.ts'
import type { EventBody, LogEvent } from '../../src/log/log-event.ts'
import type { Inbound } from '../../src/log/message.ts'
import type { ReplyPart } from '../../src/model/reply.ts'
import type { CallOutcome } from '../../src/tool/outcome.ts'
import type { Hold } from '../../src/turn/hold.ts'

export function log(...bodies: readonly EventBody[]): LogEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 100 * (index + 1) }))
}

export function asked(text: string, by?: string): Inbound {
  return { kind: 'message', message: { parts: [{ type: 'text', text }], ...(by !== undefined && { by }) } }
}

export function started(
  turnId: string,
  items: readonly Inbound[] = [asked('hello')],
  more: Partial<Extract<EventBody, { type: 'turn.started' }>> = {},
): EventBody {
  return { type: 'turn.started', turnId, agent: 'desk', items, limits: { maxSteps: 8 }, ...more }
}

export function replied(
  turnId: string,
  step: number,
  parts: readonly (string | ReplyPart)[],
  more: Partial<Extract<EventBody, { type: 'model.replied' }>> = {},
): EventBody {
  const reply = {
    parts: parts.map((part) => (typeof part === 'string' ? ({ type: 'text', text: part } as const) : part)),
    finish: 'stop',
    usage: { inputTokens: 3, outputTokens: 2 },
  } as const
  return { type: 'model.replied', turnId, step, reply, ...more }
}

export function call(callId: string, input: Json = { to: 'ada' }, name = 'email.send'): ReplyPart {
  return { type: 'call', callId, vendorId: `v-${callId}`, name, input }
}

export function held(callId: string, given: Partial<Hold> = {}): EventBody {
  const hold: Hold = {
    kind: 'approval',
    cause: 'tool',
    accepts: ['approve', 'reject'],
    input: { to: 'ada' },
    inputHash: 'hash',
    fingerprint: 'print',
    approvers: 1,
    timeoutMs: 1000,
    expiresAt: 1250,
    onExpire: 'error',
    late: 'reject',
    ...given,
  }
  return { type: 'call.held', callId, hold }
}

export function approved(callId: string, by?: string, edited?: { input: Json; effective: Json }): EventBody {
  return {
    type: 'call.approved',
    callId,
    ...(by !== undefined && { by }),
    resolution: { kind: 'approve', ...(edited && { input: edited.input }) },
    ...(edited && { effective: edited.effective }),
    inputHash: 'hash',
    fingerprint: 'print',
  }
}

export function running(callId: string, attempt = 1): EventBody {
  return { type: 'call.started', callId, attempt }
}

export function settled(callId: string, value: Json = 'sent'): EventBody {
  return { type: 'call.settled', callId, outcome: { ok: true, value } }
}

export const expired: CallOutcome = { ok: false, error: { code: 'expired', message: 'No answer in 1 s.' } }
