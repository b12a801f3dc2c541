import { expect, test } from 'vitest'
import { isProblem, paths, problem, problemOfVerdict, statusOf } from '@holdpoint/protocol'

test('the code of a problem is the verdict; a repeated answer is not a problem', () => {
  expect(problemOfVerdict({ verdict: 'accepted', message: 'Accepted.' })).toBeUndefined()
  expect(problemOfVerdict({ verdict: 'duplicate', message: 'Again.' })).toBeUndefined()
  expect(problemOfVerdict({ verdict: 'expired', message: 'Too late.' })).toMatchObject({
    status: 410,
    code: 'expired',
    detail: 'Too late.',
    type: 'urn:holdpoint:problem:expired',
  })
})

test('each code has one status', () => {
  expect([statusOf('turn-in-progress'), statusOf('unknown'), statusOf('invalid')]).toEqual([409, 404, 422])
  expect(isProblem(problem('closed', 'Soon again.'))).toBe(true)
  expect(isProblem({ code: 'closed', status: 500, detail: '' })).toBe(false)
  // A newer gateway may have more codes.
  const newer = { type: 'urn:holdpoint:problem:moon-full', code: 'moon-full', title: '', status: 409, detail: 'Wait.' }
  expect(isProblem(newer)).toBe(true)
})

test('any id is encoded as one path segment', () => {
  expect(paths.hold('a/../b', 'x?y#z')).toBe('/api/holds/a%2F..%2Fb/x%3Fy%23z')
})
