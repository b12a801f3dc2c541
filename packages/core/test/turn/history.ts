/** Small logs to start from, written as events without seq and time. */
import { fold, type Conversation, type EventBody, type Hold, type Inbound, type LogEvent } from '../../src/index.ts'

export const hello: Inbound = { kind: 'message', message: { parts: [{ type: 'text', text: 'hello' }] } }
export const plan = { turnId: 't1', agent: 'desk', limits: { maxSteps: 8 } } as const
export const started: EventBody = { type: 'turn.started', ...plan, items: [hello] }
export const ok = { ok: true, value: 1 } as const

export function replied(step: number, ...callIds: readonly string[]): EventBody {
  const parts = callIds.map(
    (callId) => ({ type: 'call', callId, vendorId: callId, name: 'email.send', input: {} }) as const,
  )
  return {
    type: 'model.replied',
    turnId: 't1',
    step,
    reply: { parts, finish: 'stop', usage: { inputTokens: 3, outputTokens: 2 } },
  }
}

function hold(given: Partial<Hold> = {}): Hold {
  return {
    kind: 'approval',
    cause: 'tool',
    accepts: ['approve', 'reject'],
    input: {},
    inputHash: 'hash',
    fingerprint: 'print',
    approvers: 1,
    timeoutMs: 30_000,
    expiresAt: 31_000,
    onExpire: 'error',
    late: 'reject',
    ...given,
  }
}

export function held(callId: string, given: Partial<Hold> = {}): EventBody {
  return { type: 'call.held', callId, hold: hold(given) }
}

export function settled(callId: string): EventBody {
  return { type: 'call.settled', callId, outcome: ok }
}

export function running(callId: string, attempt = 1): EventBody {
  return { type: 'call.started', callId, attempt }
}

export function approved(callId: string): EventBody {
  return { type: 'call.approved', callId, resolution: { kind: 'approve' }, inputHash: 'hash', fingerprint: 'print' }
}

export function stamped(...bodies: readonly EventBody[]): LogEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1000 }))
}

export function after(...bodies: readonly EventBody[]): Conversation {
  return fold(stamped(...bodies))
}
