/** An ordinary no is a value: a refusal, a verdict, a thing that is not there. Everything else is thrown. */
import type { Refusal, ResolveAnswer, SpaceRefusal } from '@holdpoint/core'
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
  'key-reused': true,
  'is-a-space': true,
}

export const SPACE_REFUSALS: Readonly<Record<SpaceRefusal | 'key-reused', true>> = {
  'space-missing': true,
  'id-taken': true,
  'not-a-member': true,
  'not-allowed': true,
  'last-owner': true,
  'not-a-message': true,
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

export const NOT_FOUND = { 'not-found': true } as const
/** No call, or none that waits. */
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
  const done = asking.then((told) => ({ ...told, ok: true as const }))
  return orElse(done, refusals, ({ code: refusal, detail: message }) => ({ ok: false, refusal, message }))
}

export function orVerdict(asking: Promise<ResolveAnswer>): Promise<ResolveAnswer> {
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

/** What is made of one of these problems, in place of an error. */
export async function orElse<T, O>(asking: Promise<T>, codes: Codes, other: (problem: Problem) => O): Promise<T | O> {
  try {
    return await asking
  } catch (error) {
    const problem = error instanceof HoldpointHttpError ? error.problem : undefined
    if (problem && Object.hasOwn(codes, problem.code)) return other(problem)
    throw error
  }
}
