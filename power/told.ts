/** What the recorded process knows to be durable, and where it says so. */
import type { Effect } from '../crash/desk.ts'
import type { Op } from './recording.ts'

export const DATABASE = 'desk.db'
export const TOLD = 'told'
/** The file in which tools record their effects. */
export const EFFECTS = 'effects'
export const OUTSIDE: readonly string[] = [TOLD, EFFECTS]

export type Told =
  | { readonly told: 'created' | 'cancelled' | 'erased'; readonly id: string }
  | { readonly told: 'sent'; readonly id: string; readonly text: string }
  | { readonly told: 'answered'; readonly id: string; readonly callId: string; readonly by: string }
  /** The value of a document that only grows. */
  | { readonly told: 'counted'; readonly data: number }
  /** Not acknowledged yet: from here on, the conversation may be there or be erased. */
  | { readonly told: 'erasing'; readonly id: string }
  /** A tool did its work. So the log has that its call started, or the work would be done again. */
  | ({ readonly told: 'effect' } & Effect)

export function toldBy(op: Op): Told | undefined {
  if (op.do !== 'tell') return undefined
  if (op.file === TOLD) return JSON.parse(op.line) as Told
  return { told: 'effect', ...(JSON.parse(op.line) as Effect) }
}
