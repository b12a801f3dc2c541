import { expect, test } from 'vitest'
import { isProblem, paths, problem, problemOfVerdict, statusOf } from '@holdpoint/protocol'

test('a verdict is a problem with its own word, and an answer given twice is none', () => {
  expect(problemOfVerdict({ verdict: 'accepted', message: 'Accepted.' })).toBeUndefined()
  expect(problemOfVerdict({ verdict: 'duplicate', message: 'Again.' })).toBeUndefined()
  expect(problemOfVerdict({ verdict: 'expired', message: 'Too late.' })).toMatchObject({
    status: 410,
    code: 'expired',
    detail: 'Too late.',
    type: 'urn:holdpoint:problem:expired',
  })
})

test('the same word has the same status everywhere', () => {
  expect([statusOf('turn-in-progress'), statusOf('unknown'), statusOf('invalid')]).toEqual([409, 404, 422])
  expect(isProblem(problem('closed', 'Soon again.'))).toBe(true)
  expect(isProblem({ code: 'closed', status: 500, detail: '' })).toBe(false)
  // A newer gateway may know more of them.
  const newer = { type: 'urn:holdpoint:problem:moon-full', code: 'moon-full', title: '', status: 409, detail: 'Wait.' }
  expect(isProblem(newer)).toBe(true)
})

test('an id is one segment of a path, whatever it is made of', () => {
  expect(paths.hold('a/../b', 'x?y#z')).toBe('/api/holds/a%2F..%2Fb/x%3Fy%23z')
})
