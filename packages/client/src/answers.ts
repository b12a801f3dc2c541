/** An ordinary no is a value: a refusal, a verdict, a thing that is not there. Everything else is thrown. */
import type { Refusal, ResolveAnswer } from '@holdpoint/core'
import type { BadVerdict, ProblemCode } from '@holdpoint/protocol'
import { HoldpointHttpError, hasCode } from './http-error.ts'

export interface Refused {
  readonly ok: false
  readonly refusal: Refusal
  readonly message: string
}

const REFUSALS: Readonly<Record<Refusal, true>> = {
  'turn-in-progress': true,
  'nothing-to-continue': true,
  'nothing-to-cancel': true,
  'not-due': true,
  'hold-not-open': true,
  'key-reused': true,
  'is-a-space': true,
}

const VERDICTS: Readonly<Record<BadVerdict, true>> = {
  conflict: true,
  expired: true,
  stale: true,
  unknown: true,
  invalid: true,
  'wrong-kind': true,
}

export async function orRefused<T extends object>(asking: Promise<T>): Promise<({ readonly ok: true } & T) | Refused> {
  try {
    return { ...(await asking), ok: true }
  } catch (error) {
    const problem = error instanceof HoldpointHttpError ? error.problem : undefined
    if (!problem || !isRefusal(problem.code)) throw error
    return { ok: false, refusal: problem.code, message: problem.detail }
  }
}

export async function orVerdict(asking: Promise<ResolveAnswer>): Promise<ResolveAnswer> {
  try {
    return await asking
  } catch (error) {
    const problem = error instanceof HoldpointHttpError ? error.problem : undefined
    if (!problem || !isVerdict(problem.code)) throw error
    const { code: verdict, detail: message, first, remaining } = problem
    return { verdict, message, ...(first && { first }), ...(remaining !== undefined && { remaining }) }
  }
}

export async function orUndefined<T>(asking: Promise<T>, ...codes: readonly ProblemCode[]): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (hasCode(error, ...codes)) return undefined
    throw error
  }
}

function isRefusal(code: ProblemCode): code is Refusal {
  return Object.hasOwn(REFUSALS, code)
}

function isVerdict(code: ProblemCode): code is BadVerdict {
  return Object.hasOwn(VERDICTS, code)
}
