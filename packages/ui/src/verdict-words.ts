/** The verdict on an answer, in words. If the answer came too late, the words include the answer that was first. */
import type { ResolveResult } from '@holdpoint/client'
import { endorsementWords } from './approver-words.ts'
import { NO_NAMES, type PeopleNames } from './people-names.ts'
import { spanOf } from './time.tsx'

export interface VerdictWords {
  readonly tone: 'ok' | 'late' | 'wrong'
  readonly title: string
  readonly detail?: string | undefined
}

export function verdictWords(
  { verdict, message, first, remaining }: ResolveResult,
  now: number,
  names: PeopleNames = NO_NAMES,
): VerdictWords {
  const before = first && whatHappened(first, now, names)
  switch (verdict) {
    case 'accepted':
      return remaining === undefined || remaining === 0
        ? { tone: 'ok', title: 'Your answer was saved' }
        : { tone: 'ok', title: 'Your approval was saved', detail: moreNeeded(remaining) }
    case 'duplicate':
      return { tone: 'ok', title: 'This answer was already given', detail: before }
    case 'conflict':
      return {
        tone: 'late',
        title: 'Too late: another answer came first',
        detail: before ?? message,
      }
    case 'expired':
      return { tone: 'late', title: 'Too late: the deadline has passed', detail: message }
    case 'stale':
      return {
        tone: 'late',
        title: 'Too late: this call is no longer waiting',
        detail: before ?? message,
      }
    case 'unknown':
      return { tone: 'late', title: 'This call is not waiting', detail: message }
    case 'invalid':
      return { tone: 'wrong', title: 'This answer is not valid', detail: message }
    case 'wrong-kind':
      return { tone: 'wrong', title: 'This call needs a different kind of answer', detail: message }
    case 'not-allowed':
      return { tone: 'wrong', title: 'You are not allowed to answer this', detail: message }
  }
}

function moreNeeded(remaining: number): string {
  return `${remaining} more ${remaining === 1 ? 'approval is' : 'approvals are'} needed before the call runs.`
}

type First = NonNullable<ResolveResult['first']>

function whatHappened({ resolution, by, at, ...actor }: First, now: number, names: PeopleNames): string {
  const who = by === undefined ? 'A user' : endorsementWords({ ...actor, by }, names)
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
