import { useState } from 'react'
import type { Resolution, ResolveAnswer } from '@holdpoint/client'
import { useSettled, type Settled } from './use-settled.ts'

export interface Resolving extends Pick<Settled, 'settled' | 'place'> {
  /** What the newest answer came to, and when that was heard. */
  readonly answer: { readonly answer: ResolveAnswer; readonly at: number } | undefined
  /** Why it is not taken as it is, or could not be said at all: it can be tried again. */
  readonly problem: string | undefined
  /** It was taken, or came too late: there is nothing more to say here. */
  readonly over: boolean
  readonly busy: boolean
  /** An answer was given before the card had settled. It was not sent. */
  readonly tooSoon: boolean
  readonly resolve: (resolution: Resolution) => void
}

/** One answer at a time, and none to a card that has just appeared, moved or changed. `what` is what would be answered. */
export function useResolve(onResolve: (resolution: Resolution) => Promise<ResolveAnswer>, what: string): Resolving {
  const [said, setSaid] = useState<Pick<Resolving, 'answer' | 'problem'>>({ answer: undefined, problem: undefined })
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string>()
  const { settled, place, isSettled } = useSettled(what)
  const resolve = (resolution: Resolution): void => {
    if (busy) return
    if (!isSettled()) return setRefused(what)
    setRefused(undefined)
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
  const over = said.answer !== undefined && said.problem === undefined
  return { ...said, over, busy, settled, place, tooSoon: refused === what, resolve }
}
