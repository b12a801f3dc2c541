import type { EndReason } from '@holdpoint/core'
import type { Observer } from '@holdpoint/runtime'
import type { LogLine } from './gateway-options.ts'

/** The ends of a turn that no caller asked for. */
const FAILED: Readonly<Partial<Record<EndReason, LogLine['level']>>> = {
  model_failed: 'error',
  hook_failed: 'error',
  interrupted: 'error',
  tool_error: 'warn',
  output_invalid: 'warn',
  context_full: 'warn',
  max_steps: 'warn',
  budget: 'warn',
  expired: 'warn',
}

/** An observer that logs each turn that failed, in the process that wrote its end. The message is the one that users read. */
export function failedTurns(log: (line: LogLine) => void): Observer {
  return {
    wrote: ({ tenant, id }, events) => {
      for (const event of events) {
        if (event.type !== 'turn.ended' && event.type !== 'model.replied') continue
        const reason = event.type === 'turn.ended' ? event.reason : event.ends
        const level = reason && FAILED[reason]
        if (!level) continue
        const last = event.attempts?.at(-1)
        log({
          level,
          event: 'turn-failed',
          code: reason,
          message: event.message ?? `The turn ended: ${reason}.`,
          tenant,
          conversationId: id,
          turnId: event.turnId,
          seq: event.seq,
          ...(last?.status !== undefined && { vendorStatus: last.status }),
        })
      }
    },
  }
}
