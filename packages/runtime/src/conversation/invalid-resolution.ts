import type { ResolveDecision } from '@holdpoint/core/internal/turn/verdict'

export function invalidResolution(message: string): ResolveDecision {
  return { verdict: 'invalid', message, events: [] }
}
