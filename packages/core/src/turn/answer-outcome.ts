/** The outcome of a call that was answered. */
import { failed, type CallOutcome } from '../tool/outcome.ts'
import type { Resolution } from './hold.ts'

export function answerOutcome(resolution: Extract<Resolution, { kind: 'answer' }>): CallOutcome {
  return 'error' in resolution ? failed('failed', resolution.error) : { ok: true, value: resolution.value }
}
