/** A summary of the beginning of a conversation, as it is kept beside the log. */
import { isObject } from '../json.ts'
import type { Note } from '../log/store.ts'

export interface Summary {
  /** The seq of the last event it tells of. */
  readonly upTo: number
  readonly text: string
}

export const SUMMARY = 'summary'

/** As it is kept, of one that came from elsewhere. */
export function noteOf({ upTo, text }: Summary, at: number): Note {
  return { kind: SUMMARY, seq: upTo, at, data: { text, from: 1, upTo } }
}

export function summaryOf({ seq, data }: Note): Summary | undefined {
  return isObject(data) && typeof data['text'] === 'string' ? { upTo: seq, text: data['text'] } : undefined
}
