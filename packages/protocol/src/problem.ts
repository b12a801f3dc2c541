/**
 * How the gateway says no: a problem document (RFC 9457) whose `code` is the word the runtime itself used, a refusal, a
 * verdict or the code of a failure, or one of the gateway's own.
 */
import type { FailureCode, Refusal, ResolveAnswer, SpaceRefusal, Verdict } from '@holdpoint/core'

export const PROBLEM_TYPE = 'application/problem+json'
const URN = 'urn:holdpoint:problem:'

export interface Problem {
  /** Names the kind of problem; the same for the same code, and nothing to be fetched. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What is wrong with this request, and what to do next. */
  readonly detail: string
  readonly code: ProblemCode
  /** What exactly does not fit, for a request that does not fit. */
  readonly issues?: readonly { readonly at: string; readonly message: string }[]
  /** With the verdict of a resolution. */
  readonly verdict?: Verdict
  readonly first?: ResolveAnswer['first']
  readonly remaining?: number
}

/** Accepted answers are no problem, and neither is the same answer given twice. */
export type BadVerdict = Exclude<Verdict, 'accepted' | 'duplicate'>

export type ProblemCode = Refusal | SpaceRefusal | BadVerdict | FailureCode | GatewayCode

/** What only somebody behind HTTP can get wrong. */
export type GatewayCode =
  | 'malformed-json'
  | 'bad-request'
  | 'unauthorised'
  | 'scope-missing'
  | 'origin-not-allowed'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'already-exists'
  | 'version-conflict'
  | 'claim-lost'
  | 'same-key-in-progress'
  | 'too-large'
  | 'content-type'
  | 'host-not-allowed'
  | 'too-many-requests'
  | 'too-many-streams'
  | 'internal'

const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  'turn-in-progress': [409, 'A turn is in progress'],
  'nothing-to-continue': [409, 'Nothing to continue'],
  'nothing-to-cancel': [409, 'Nothing to cancel'],
  'not-due': [409, 'Not due yet'],
  'hold-not-open': [410, 'The hold is no longer open'],
  'key-reused': [422, 'The key was used for something else'],
  'is-a-space': [409, 'This is a space'],

  'space-missing': [404, 'No such space'],
  'id-taken': [409, 'The id is taken'],
  'not-a-member': [403, 'Not a member of the space'],
  'not-allowed': [403, 'Not with this role'],
  'last-owner': [409, 'Somebody has to be its owner'],
  'not-a-message': [422, 'This is no message'],

  conflict: [409, 'A different answer came first'],
  expired: [410, 'The deadline came first'],
  stale: [410, 'The call is no longer wanted'],
  unknown: [404, 'No such call'],
  invalid: [422, 'The answer does not fit'],
  'wrong-kind': [422, 'The hold takes another kind of answer'],

  'tool-invalid': [422, 'A tool is declared wrong'],
  'config-invalid': [422, 'The request does not fit'],
  'session-invalid': [422, 'The data does not fit'],
  'agent-missing': [404, 'No such agent'],
  'model-failed': [502, 'The model failed'],
  'store-unavailable': [503, 'The store does not answer'],
  closed: [503, 'Shutting down'],
  'history-impossible': [500, 'The log is broken'],
  'service-missing': [500, 'A service is missing'],
  'store-unusable': [500, 'The store cannot be used'],

  'malformed-json': [400, 'Not JSON that is taken here'],
  'bad-request': [422, 'The request does not fit'],
  unauthorised: [401, 'Who are you?'],
  'scope-missing': [403, 'Not allowed'],
  'origin-not-allowed': [403, 'Not from this page'],
  'not-found': [404, 'Not found'],
  'method-not-allowed': [405, 'Not with this method'],
  'not-acceptable': [406, 'Not in that form'],
  'already-exists': [409, 'It exists already'],
  'version-conflict': [409, 'Somebody else changed it'],
  'claim-lost': [409, 'The claim is lost'],
  'same-key-in-progress': [409, 'The same request is being worked on'],
  'too-large': [413, 'Too large'],
  'content-type': [415, 'JSON only'],
  'host-not-allowed': [421, 'Not this host'],
  'too-many-requests': [429, 'Too many requests'],
  'too-many-streams': [429, 'Too many streams'],
  internal: [500, 'Something went wrong'],
}

export function statusOf(code: ProblemCode): number {
  return PROBLEMS[code][0]
}

export function problem(
  code: ProblemCode,
  detail: string,
  more: Pick<Problem, 'issues' | 'verdict' | 'first' | 'remaining'> = {},
): Problem {
  const [status, title] = PROBLEMS[code]
  return { type: URN + code, title, status, detail, code, ...more }
}

/** The problem that an answer's verdict is; none when the answer was taken, now or before. */
export function problemOfVerdict({ verdict, message, first, remaining }: ResolveAnswer): Problem | undefined {
  if (verdict === 'accepted' || verdict === 'duplicate') return undefined
  const more = { ...(first && { first }), ...(remaining !== undefined && { remaining }) }
  return problem(verdict, message, { verdict, ...more })
}

/** Told by its type, and not by a list of codes: a newer gateway may say no in more ways. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false
  const { type, code, status, detail } = value as Readonly<Record<string, unknown>>
  return typeof code === 'string' && type === URN + code && typeof status === 'number' && typeof detail === 'string'
}
