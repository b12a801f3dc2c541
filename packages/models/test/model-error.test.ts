import { ModelError } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { toModelError } from '../src/model-error.ts'
import { retryAfterMs } from '../src/retry-after.ts'

function apiError(fields: object): Error {
  return Object.assign(new Error('API says no'), { name: 'AI_APICallError' }, fields)
}

describe('whether to retry', () => {
  test.each([400, 401, 403, 404, 413, 422])('no: status %i', (statusCode) => {
    expect(toModelError(apiError({ statusCode }), 'request')).toMatchObject({ retryable: false, status: statusCode })
  })

  test.each([408, 409, 429, 500, 502, 503, 504, 529])('yes: status %i', (statusCode) => {
    expect(toModelError(apiError({ statusCode }), 'request')).toMatchObject({ retryable: true, status: statusCode })
  })

  test("the vendor package's own verdict counts more than the status", () => {
    expect(toModelError(apiError({ statusCode: 500, isRetryable: false }), 'request')).toMatchObject({
      retryable: false,
    })
    expect(toModelError(apiError({ statusCode: 400, isRetryable: true }), 'request')).toMatchObject({ retryable: true })
  })

  test.each([
    new TypeError('fetch failed', { cause: new Error('getaddrinfo') }),
    new TypeError('terminated'),
    Object.assign(new Error('read'), { code: 'ECONNRESET' }),
    new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'UND_ERR_BODY_TIMEOUT' }) }),
    new DOMException('too slow', 'TimeoutError'),
    Object.assign(new Error('Empty response body'), { name: 'AI_EmptyResponseBodyError' }),
    apiError({ isRetryable: false, statusCode: 200, cause: new TypeError('terminated') }),
  ])('yes: the connection broke (%s)', (error) => {
    expect(toModelError(error, 'request')).toMatchObject({ retryable: true, status: undefined })
  })

  test.each([
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    new Error('Unsupported chunk type'),
    Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }),
    Object.assign(new Error('no audio here'), { name: 'AI_UnsupportedFunctionalityError' }),
  ])('no: a retry would fail again (%s)', (error) => {
    expect(toModelError(error, 'stream')).toMatchObject({ retryable: false, message: error.message })
  })

  test('a validation error is a broken answer in the stream, and our mistake before it', () => {
    const invalid = Object.assign(new Error('Type validation failed'), { name: 'AI_TypeValidationError' })
    expect(toModelError(invalid, 'stream')).toMatchObject({ retryable: true })
    expect(toModelError(invalid, 'request')).toMatchObject({ retryable: false })
  })
})

test('an abort is not a model error', () => {
  const abort = new DOMException('stopped', 'AbortError')
  expect(toModelError(abort, 'stream')).toBe(abort)
})

test('a model error is returned unchanged', () => {
  const error = new ModelError('mine', { retryable: true })
  expect(toModelError(error, 'stream')).toBe(error)
})

test.each([
  [{ message: 'plain' }, 'plain'],
  [{ error: { message: 'nested' } }, 'nested'],
  [{ type: 'response.failed', response: { error: { message: 'deep' } } }, 'deep'],
  ['words', 'words'],
  [undefined, 'the model failed and did not say why'],
  [{ message: '' }, 'the model failed and did not say why'],
])('the message of %j is "%s"', (error, message) => {
  expect(toModelError(error, 'stream')).toMatchObject({ message, cause: error })
})

describe('the delay before a retry', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')

  test.each([
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '9', 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after': '9', 'retry-after-ms': 'soon' }, 9000],
    [{ 'retry-after': '2' }, 2000],
    [{ 'Retry-After': ' 0.5 ' }, 500],
    [{ 'retry-after': 'Sun, 15 Nov 2026 12:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, 0],
  ])('%j: %i ms', (headers, ms) => {
    expect(retryAfterMs(headers, now)).toBe(ms)
  })

  test.each([
    undefined,
    {},
    { 'retry-after': '' },
    { 'retry-after': '-5' },
    { 'retry-after': 'soon, I hope' },
    { 'retry-after': '1e2' },
    { 'retry-after': '99999999999' },
    { 'retry-after': '2026' + '0'.repeat(300) },
    { 'retry-after-ms': 'NaN' },
    { 'retry-after': ['1', '2'] },
  ])('%j: no delay is given', (headers) => {
    expect(retryAfterMs(headers, now)).toBeUndefined()
  })

  test('the delay is read from the error or its cause', () => {
    const responseHeaders = { 'retry-after': '3' }
    expect(toModelError(apiError({ statusCode: 429, responseHeaders }), 'request')).toMatchObject({
      retryAfterMs: 3000,
    })
    expect(toModelError(apiError({ statusCode: 429, cause: { responseHeaders } }), 'request')).toMatchObject({
      retryAfterMs: 3000,
    })
  })
})

test('the vendor’s id of the request is kept for the operator', () => {
  const error = Object.assign(new Error('no'), { statusCode: 500, responseHeaders: { 'request-id': 'req_7' } })
  expect(toModelError(error, 'request')).toMatchObject({ status: 500, requestId: 'req_7' })
  expect(toModelError(new Error('no'), 'request')).toMatchObject({ requestId: undefined })
})
