/** What became of an answer, in words. Whoever came too late is told so, and what happened instead. */
import type { ResolveAnswer } from '@holdpoint/client'
import { spanOf } from './time.tsx'

export interface VerdictWords {
  readonly tone: 'ok' | 'late' | 'wrong'
  readonly title: string
  readonly detail?: string | undefined
}

export function verdictWords({ verdict, message, first, remaining }: ResolveAnswer, now: number): VerdictWords {
  switch (verdict) {
    case 'accepted':
      return remaining === undefined || remaining === 0
        ? { tone: 'ok', title: 'Your answer is in' }
        : { tone: 'ok', title: 'Your agreement is in', detail: `${remaining} more must agree before it runs.` }
    case 'duplicate':
      return { tone: 'ok', title: 'This was said already', detail: first && whatHappened(first, now) }
    case 'conflict':
      return {
        tone: 'late',
        title: 'Too late: somebody else was first',
        detail: first ? whatHappened(first, now) : message,
      }
    case 'expired':
      return { tone: 'late', title: 'Too late: the deadline has passed', detail: message }
    case 'stale':
      return {
        tone: 'late',
        title: 'Too late: the answer is no longer wanted',
        detail: first ? whatHappened(first, now) : message,
      }
    case 'unknown':
      return { tone: 'late', title: 'Nothing waits here', detail: message }
    case 'invalid':
      return { tone: 'wrong', title: 'That does not fit', detail: message }
    case 'wrong-kind':
      return { tone: 'wrong', title: 'That is not what is asked for', detail: message }
    case 'not-allowed':
      return { tone: 'wrong', title: 'You may not answer this', detail: message }
  }
}

function whatHappened({ resolution, by, at }: NonNullable<ResolveAnswer['first']>, now: number): string {
  const who = by ?? 'Somebody'
  const when = `${spanOf(Math.max(0, now - at))} ago`
  switch (resolution.kind) {
    case 'approve':
      return `${who} approved it ${when}${resolution.input === undefined ? '' : ', with changes'}.`
    case 'reject':
      return `${who} rejected it ${when}${resolution.reason === undefined ? '' : `: “${resolution.reason}”`}.`
    case 'answer':
      return `${who} answered it ${when}.`
  }
}
