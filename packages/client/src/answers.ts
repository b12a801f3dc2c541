/** Refusals, verdicts and missing objects are returned as values. Every other failure is thrown. */
import type { Refusal, ResolveResult } from '@holdpoint/core'
import type { SpaceRefusal } from '@holdpoint/spaces'
import type { BadVerdict, Problem, ProblemCode } from '@holdpoint/protocol'
import { HoldpointHttpError } from './http-error.ts'

export interface Refused<R = Refusal> {
  readonly ok: false
  readonly refusal: R
  readonly message: string
}

const REFUSALS: Readonly<Record<Refusal, true>> = {
  'turn-in-progress': true,
  'nothing-to-continue': true,
  'nothing-to-cancel': true,
  'not-due': true,
  'hold-not-open': true,
  'not-allowed': true,
  'limit-reached': true,
  'key-reused': true,
  'is-a-space': true,
  'file-missing': true,
  erased: true,
  'nothing-to-erase': true,
}

export const SPACE_REFUSALS: Readonly<Record<SpaceRefusal | 'key-reused', true>> = {
  'space-missing': true,
  'id-taken': true,
  'not-a-member': true,
  'not-allowed': true,
  'last-owner': true,
  'not-a-message': true,
  erased: true,
  'key-reused': true,
}

const VERDICTS: Readonly<Record<BadVerdict, true>> = {
  conflict: true,
  expired: true,
  stale: true,
  unknown: true,
  invalid: true,
  'wrong-kind': true,
  'not-allowed': true,
}

/** A change of a hold that does not resolve it. */
export const HOLD_REFUSALS = {
  'hold-not-open': true,
  unknown: true,
  'not-allowed': true,
  'limit-reached': true,
} as const

export const NOT_FOUND = { 'not-found': true } as const
/** The call does not exist, or it does not wait for an answer. */
export const NO_CALL = { unknown: true, 'hold-not-open': true, 'not-found': true } as const

export function orRefused<T extends object>(asking: Promise<T>): Promise<({ readonly ok: true } & T) | Refused>
export function orRefused<T extends object, R extends ProblemCode>(
  asking: Promise<T>,
  refusals: Readonly<Record<R, true>>,
): Promise<({ readonly ok: true } & T) | Refused<R>>
export function orRefused<T extends object>(
  asking: Promise<T>,
  refusals: Readonly<Record<string, true>> = REFUSALS,
): Promise<({ readonly ok: true } & T) | Refused<ProblemCode>> {
  const done = asking.then((answer) => ({ ...answer, ok: true as const }))
  return orElse(done, refusals, ({ code: refusal, detail: message }) => ({ ok: false, refusal, message }))
}

export function orVerdict(asking: Promise<ResolveResult>): Promise<ResolveResult> {
  return orElse(asking, VERDICTS, ({ code, detail: message, first, remaining }) => ({
    verdict: code as BadVerdict,
    message,
    ...(first && { first }),
    ...(remaining !== undefined && { remaining }),
  }))
}

export function orUndefined<T>(asking: Promise<T>, codes: Codes): Promise<T | undefined> {
  return orElse(asking, codes, () => undefined)
}

type Codes = Readonly<Partial<Record<ProblemCode, true>>>

/** Returns a value for the problems in `codes`, and throws every other error. */
export async function orElse<T, O>(asking: Promise<T>, codes: Codes, other: (problem: Problem) => O): Promise<T | O> {
  try {
    return await asking
  } catch (error) {
    const problem = error instanceof HoldpointHttpError ? error.problem : undefined
    if (problem && Object.hasOwn(codes, problem.code)) return other(problem)
    throw error
  }
}
