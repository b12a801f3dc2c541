/** The answer to a command: the events that carry it out, or a refusal. A refusal is an ordinary no, as a value. */
import type { EventBody } from '../log/log-event.ts'

export type Refusal =
  | 'turn-in-progress'
  | 'nothing-to-continue'
  | 'nothing-to-cancel'
  | 'not-due'
  | 'hold-not-open'
  | 'not-allowed'
  | 'limit-reached'
  | 'key-reused'
  | 'erased'
  | 'nothing-to-erase'
  | 'is-a-space'
  | 'file-missing'

export type Decision =
  | { readonly ok: true; readonly events: readonly EventBody[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string }

export function accept(...events: readonly EventBody[]): { readonly ok: true; readonly events: readonly EventBody[] } {
  return { ok: true, events }
}

export function refuse(refusal: Refusal, message: string): Decision {
  return { ok: false, refusal, message }
}
