import { useState } from 'react'
import type { Resolution, ResolveAnswer } from '@holdpoint/client'

export interface Resolving {
  /** What the newest answer came to, and when that was heard. */
  readonly answer: { readonly answer: ResolveAnswer; readonly at: number } | undefined
  /** Why it is not taken as it is, or could not be said at all: it can be tried again. */
  readonly problem: string | undefined
  /** It was taken, or came too late: there is nothing more to say here. */
  readonly over: boolean
  readonly busy: boolean
  readonly resolve: (resolution: Resolution) => void
}

/** One answer at a time. */
export function useResolve(onResolve: (resolution: Resolution) => Promise<ResolveAnswer>): Resolving {
  const [said, setSaid] = useState<Pick<Resolving, 'answer' | 'problem'>>({ answer: undefined, problem: undefined })
  const [busy, setBusy] = useState(false)
  const resolve = (resolution: Resolution): void => {
    if (busy) return
    setBusy(true)
    void onResolve(resolution)
      .then(
        (answer) => ({
          answer: { answer, at: Date.now() },
          problem: answer.verdict === 'invalid' ? answer.message : undefined,
        }),
        (error: Error) => ({ answer: undefined, problem: `Your answer is not known to be in. ${error.message}` }),
      )
      .then((told) => {
        setSaid(told)
        setBusy(false)
      })
  }
  return { ...said, over: said.answer !== undefined && said.problem === undefined, busy, resolve }
}
