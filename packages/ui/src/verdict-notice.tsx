import type { ReactNode } from 'react'
import type { ResolveResult } from '@holdpoint/client'
import { usePeopleNames } from './people-names.ts'
import { ShownText } from './shown-text.tsx'
import { verdictWords } from './verdict-words.ts'

const TONES = {
  ok: 'border-ok/40 bg-ok-muted',
  late: 'border-held/40 bg-held-muted',
  wrong: 'border-destructive/40 bg-destructive/5',
} as const

/** The verdict on an answer. Screen readers announce it. `at` is when the verdict arrived. */
export function VerdictNotice({ answer, at }: { readonly answer: ResolveResult; readonly at: number }): ReactNode {
  const { tone, title, detail } = verdictWords(answer, at, usePeopleNames())
  return (
    <div role="status" data-verdict={answer.verdict} className={`rounded-md border px-3 py-2 text-sm ${TONES[tone]}`}>
      <strong className="font-medium">{title}</strong>
      {detail !== undefined && (
        <>
          {'. '}
          <ShownText text={detail} />
        </>
      )}
    </div>
  )
}
