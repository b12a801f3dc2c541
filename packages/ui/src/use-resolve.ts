import { useState } from 'react'
import type { Resolution, ResolveResult } from '@holdpoint/client'
import { errorWords } from './error-words.ts'
import { useSettled, type Settled } from './use-settled.ts'

export interface Resolving extends Pick<Settled, 'settled' | 'place'> {
  /** The verdict on the newest answer, and when it arrived. */
  readonly answer: { readonly answer: ResolveResult; readonly at: number } | undefined
  /** Why the answer is invalid or could not be sent. The user can try again. */
  readonly problem: string | undefined
  /** The answer was accepted or came too late. The card takes no other answer. */
  readonly over: boolean
  readonly busy: boolean
  /** The user answered before the card had settled, so the answer was not sent. */
  readonly tooSoon: boolean
  readonly resolve: (resolution: Resolution) => void
}

/** Sends one answer at a time, and none for a card that has just appeared, moved or changed. `content` identifies what it shows. */
export function useResolve(onResolve: (resolution: Resolution) => Promise<ResolveResult>, content: string): Resolving {
  const [result, setResult] = useState<Pick<Resolving, 'answer' | 'problem'>>({ answer: undefined, problem: undefined })
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string>()
  const { settled, place, isSettled } = useSettled(content)
  const resolve = (resolution: Resolution): void => {
    if (busy) return
    if (!isSettled()) return setRefused(content)
    setRefused(undefined)
    setBusy(true)
    void onResolve(resolution)
      .then(
        (answer) => ({
          answer: { answer, at: Date.now() },
          problem: answer.verdict === 'invalid' ? answer.message : undefined,
        }),
        (error: Error) => ({ answer: undefined, problem: failureWords(error) }),
      )
      .then((newest) => {
        setResult(newest)
        setBusy(false)
      })
  }
  const over = result.answer !== undefined && result.problem === undefined
  return { ...result, over, busy, settled, place, tooSoon: refused === content, resolve }
}

/** After a 403 the answer was certainly not saved, and the gateway says why. */
export function failureWords(
  error: Error & { readonly status?: number; readonly problem?: { readonly detail: string } },
): string {
  return error.status === 403
    ? `You may not do this. ${errorWords(error)}`
    : `We couldn’t confirm your answer was saved. ${errorWords(error)}`
}
