/** An ordinary no is a value: a refusal, a verdict, a thing that is not there. Everything else is thrown. */
import type { Refusal, ResolveAnswer, SpaceRefusal } from '@holdpoint/core'
import type { BadVerdict, ProblemCode } from '@holdpoint/protocol'
import { HoldpointHttpError, hasCode } from './http-error.ts'

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
}

export function orRefused<T extends object>(asking: Promise<T>): Promise<({ readonly ok: true } & T) | Refused>
export function orRefused<T extends object, R extends ProblemCode>(
  asking: Promise<T>,
  refusals: Readonly<Record<R, true>>,
): Promise<({ readonly ok: true } & T) | Refused<R>>
export async function orRefused<T extends object>(
  asking: Promise<T>,
  refusals: Readonly<Record<string, true>> = REFUSALS,
): Promise<({ readonly ok: true } & T) | Refused<ProblemCode>> {
  try {
    return { ...(await asking), ok: true }
  } catch (error) {
    const problem = error instanceof HoldpointHttpError ? error.problem : undefined
    if (!problem || !Object.hasOwn(refusals, problem.code)) throw error
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

function isVerdict(code: ProblemCode): code is BadVerdict {
  return Object.hasOwn(VERDICTS, code)
}
