/**
 * Problem documents (RFC 9457) of the gateway. The `code` is the runtime's own (a refusal, a verdict or the code of a
 * failure) or one of the gateway's.
 */
import type { FailureCode, Refusal, ResolveResult, Verdict } from '@holdpoint/core'
import type { SpaceRefusal } from '@holdpoint/spaces'

export const PROBLEM_TYPE = 'application/problem+json'
const URN = 'urn:holdpoint:problem:'

export interface Problem {
  /** A URN made from the code. It is not a URL to fetch. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What is wrong with this request, and what to do. */
  readonly detail: string
  readonly code: ProblemCode
  /** The invalid fields of an invalid request. */
  readonly issues?: readonly { readonly at: string; readonly message: string }[]
  /** The verdict, when the problem is about a resolution. */
  readonly verdict?: Verdict
  readonly first?: ResolveResult['first']
  readonly remaining?: number
}

/** An accepted answer and a repeated one are not problems. */
export type BadVerdict = Exclude<Verdict, 'accepted' | 'duplicate'>

export type ProblemCode = Refusal | SpaceRefusal | BadVerdict | FailureCode | GatewayCode

/** Problems that occur only over HTTP. */
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
  | 'limit-reached'
  | 'sign-in-unavailable'
  | 'internal'

const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  'turn-in-progress': [409, 'A turn is in progress'],
  'nothing-to-continue': [409, 'Nothing to continue'],
  'nothing-to-cancel': [409, 'Nothing to cancel'],
  'not-due': [409, 'Not due yet'],
  'hold-not-open': [410, 'The hold is no longer open'],
  'key-reused': [422, 'The key was used for another request'],
  'is-a-space': [409, 'This is a space'],
  'file-missing': [404, 'No such file'],
  erased: [410, 'It was erased'],
  'nothing-to-erase': [404, 'No such conversation'],

  'space-missing': [404, 'No such space'],
  'id-taken': [409, 'The id is taken'],
  'not-a-member': [403, 'Not a member of the space'],
  'not-allowed': [403, 'This caller may not do that'],
  'last-owner': [409, 'A space needs an owner'],
  'not-a-message': [422, 'Not a message'],

  conflict: [409, 'A different answer came first'],
  expired: [410, 'The deadline came first'],
  stale: [410, 'The call is no longer open'],
  unknown: [404, 'No such call'],
  invalid: [422, 'The answer is invalid'],
  'wrong-kind': [422, 'The hold takes another kind of answer'],

  'tool-invalid': [422, 'A tool declaration is invalid'],
  'config-invalid': [422, 'The configuration is invalid'],
  'session-invalid': [422, 'The session data is invalid'],
  'agent-missing': [404, 'No such agent'],
  'file-refused': [422, 'The file is not accepted'],
  'model-failed': [502, 'The model failed'],
  'store-unavailable': [503, 'The store is unavailable'],
  closed: [503, 'Shutting down'],
  'quota-exceeded': [403, 'A quota of the tenant is reached'],
  'history-impossible': [500, 'The log is broken'],
  'log-damaged': [500, 'The log is damaged'],
  'store-rolled-back': [500, 'The store lost writes'],
  'store-replaced': [500, 'Another server answers than before'],
  'service-missing': [500, 'A service is missing'],
  'store-unusable': [500, 'The store cannot be used'],

  'malformed-json': [400, 'Malformed JSON'],
  'bad-request': [422, 'The request is invalid'],
  unauthorised: [401, 'Authentication required'],
  'scope-missing': [403, 'Not allowed'],
  'origin-not-allowed': [403, 'Origin not allowed'],
  'not-found': [404, 'Not found'],
  'method-not-allowed': [405, 'Method not allowed'],
  'not-acceptable': [406, 'Not acceptable'],
  'already-exists': [409, 'Already exists'],
  'version-conflict': [409, 'Changed by another request'],
  'claim-lost': [409, 'The claim is lost'],
  'same-key-in-progress': [409, 'The same request is in progress'],
  'too-large': [413, 'Too large'],
  'content-type': [415, 'JSON only'],
  'host-not-allowed': [421, 'Host not allowed'],
  'too-many-requests': [429, 'Too many requests'],
  'too-many-streams': [429, 'Too many streams'],
  'limit-reached': [422, 'Limit reached'],
  'sign-in-unavailable': [503, 'The sign-in service does not answer'],
  internal: [500, 'Internal error'],
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

/** The problem for a verdict; undefined when the answer was accepted, by this request or an earlier one. */
export function problemOfVerdict({ verdict, message, first, remaining }: ResolveResult): Problem | undefined {
  if (verdict === 'accepted' || verdict === 'duplicate') return undefined
  const more = { ...(first && { first }), ...(remaining !== undefined && { remaining }) }
  return problem(verdict, message, { verdict, ...more })
}

/** Checks the type instead of a list of codes: a newer gateway may have more codes. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false
  const { type, code, status, detail } = value as Readonly<Record<string, unknown>>
  return typeof code === 'string' && type === URN + code && typeof status === 'number' && typeof detail === 'string'
}
