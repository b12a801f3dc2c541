/** A summary of the beginning of a conversation, as it is kept beside the log. */
import { isObject } from '../json.ts'
import type { Note } from '../log/store.ts'

export interface Summary {
  /** The seq of the last event it tells of. */
  readonly upTo: number
  readonly text: string
}

export const SUMMARY = 'summary'

export function summaryOf({ seq, data }: Note): Summary | undefined {
  return isObject(data) && typeof data['text'] === 'string' ? { upTo: seq, text: data['text'] } : undefined
}
