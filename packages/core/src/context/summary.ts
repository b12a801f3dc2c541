/** A summary of the beginning of a conversation, stored as a note beside the log. */
import { isObject } from '../json.ts'
import type { Note } from '../log/store.ts'

export interface Summary {
  /** The seq of the last event that it covers. */
  readonly upTo: number
  readonly text: string
}

export const SUMMARY = 'summary'

/** The note of a summary that another store or session made. */
export function noteOf({ upTo, text }: Summary, at: number): Note {
  return { kind: SUMMARY, seq: upTo, at, data: { text, from: 1, upTo } }
}

export function summaryOf({ seq, data }: Note): Summary | undefined {
  return isObject(data) && typeof data['text'] === 'string' ? { upTo: seq, text: data['text'] } : undefined
}
