/**
 * Converts a vendor's error to a `ModelError` that says whether a retry may help. Errors are recognised by their fields,
 * never by class, because several copies of the AI SDK may be installed and error events are plain objects.
 *
 * An `AbortError` is returned unchanged: the caller aborted, and the model did not fail.
 */
import { ModelError } from '@holdpoint/core'
import { retryAfterMs } from './retry-after.ts'

type Fields = Readonly<Record<string, unknown>>

/** `stream`: the vendor accepted the request and started its answer. */
export type Phase = 'request' | 'stream'

export function toModelError(error: unknown, phase: Phase): Error {
  const outer = fields(error)
  if (error instanceof ModelError || (error instanceof Error && error.name === 'AbortError')) return error

  // Error events come as `{ message }`, `{ error: { message } }` or `{ response: { error: { message } } }`.
  const inner =
    error instanceof Error ? outer : (nested(nested(outer, 'response'), 'error') ?? nested(outer, 'error') ?? outer)
  const status =
    httpStatus(outer.statusCode) ??
    (error instanceof Error ? undefined : (httpStatus(inner.status) ?? httpStatus(inner.code)))
  const headers = outer.responseHeaders ?? fields(outer.cause).responseHeaders
  const wait = retryAfterMs(headers)
  const requestId = requestIdIn(headers)
  return new ModelError(message(error, inner), {
    retryable: retryable(error, outer, inner, status, phase),
    ...(status !== undefined && { status }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(requestId !== undefined && { requestId }),
    cause: error,
  })
}

/** Of OpenAI and most others, of Anthropic, of Amazon and of Microsoft. */
const REQUEST_ID = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id']

function requestIdIn(headers: unknown): string | undefined {
  const known = fields(headers)
  return REQUEST_ID.map((name) => known[name]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined
}

function retryable(error: unknown, outer: Fields, inner: Fields, status: number | undefined, phase: Phase): boolean {
  // OpenAI answers 429 both for a rate limit and for an exhausted quota.
  const body = nested(nested(outer, 'data'), 'error')
  if ([...codes(inner), ...codes(body)].includes('insufficient_quota')) return false
  if (status === undefined && brokeOnTheWay(error)) return true
  if (typeof outer.isRetryable === 'boolean') return outer.isRetryable
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500
  // In the stream, a thrown error is a broken answer or a bug of ours. Before the stream, it is about our request.
  if (error instanceof Error) return phase === 'stream' && GARBLED.has(error.name)
  // An error event in the stream is the vendor's problem, unless it blames the request.
  return !codes(inner).some((code) => BLAMES_REQUEST.test(code))
}

const GARBLED: ReadonlySet<string> = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
])
const BLAMES_REQUEST = /invalid|bad_request|context_length|too_large|authentication|permission|not_found|billing/

const NETWORK = /^(E(CONN(RESET|REFUSED|ABORTED)|TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|NETUNREACH|HOSTUNREACH)|UND_ERR_.*)$/
const NETWORK_MESSAGE = /^(fetch failed|failed to fetch|terminated|network error|load failed)$/i

/** The connection failed, so the vendor may or may not have received the request. The error may be wrapped. */
function brokeOnTheWay(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const { code } = fields(current)
    if (typeof code === 'string' && NETWORK.test(code)) return true
    if (current instanceof TypeError && NETWORK_MESSAGE.test(current.message)) return true
    if (current.name === 'TimeoutError' || current.name === 'AI_EmptyResponseBodyError') return true
    current = current.cause
  }
  return false
}

function message(error: unknown, inner: Fields): string {
  if (typeof inner.message === 'string' && inner.message !== '') return inner.message
  if (typeof error === 'string' && error !== '') return error
  return 'the model failed and did not say why'
}

function codes(of: Fields | undefined): string[] {
  return [of?.type, of?.code].filter((code) => typeof code === 'string')
}

/** A broken stream has the status 200, which explains nothing. */
function httpStatus(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 400 && value <= 599 ? value : undefined
}

function nested(of: Fields | undefined, key: string): Fields | undefined {
  const value = of?.[key]
  return typeof value === 'object' && value !== null ? fields(value) : undefined
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
