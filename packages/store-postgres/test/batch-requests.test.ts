import { expect, test, vi } from 'vitest'
import { batchRequests } from '../src/batch-requests.ts'

/** Requests that the test answers. */
function asked(): {
  readonly batches: { readonly items: readonly string[]; readonly answer: PromiseWithResolvers<readonly string[]> }[]
  readonly ask: (items: readonly string[]) => Promise<readonly string[]>
} {
  const batches: ReturnType<typeof asked>['batches'] = []
  return {
    batches,
    ask: (items) => {
      const answer = Promise.withResolvers<readonly string[]>()
      batches.push({ items, answer })
      return answer.promise
    },
  }
}

test('requests during a batch go into the next one, and each gets its own answer', async () => {
  const { batches, ask } = asked()
  const one = batchRequests(ask)
  const first = [one('a'), one('b')]
  await vi.waitFor(() => expect(batches).toHaveLength(1))
  const second = [one('c'), one('d')]
  expect(batches.map(({ items }) => items)).toEqual([['a', 'b']])
  batches[0]!.answer.resolve(['A', 'B'])
  expect(await Promise.all(first)).toEqual(['A', 'B'])
  await vi.waitFor(() =>
    expect(batches.map(({ items }) => items)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]),
  )
  batches[1]!.answer.reject(new Error('gone'))
  for (const each of second) await expect(each).rejects.toThrow('gone')
})

test('a batch that is not answered does not delay later requests for long', async () => {
  const { batches, ask } = asked()
  const one = batchRequests(ask)
  const stuck = one('stuck')
  await vi.waitFor(() => expect(batches).toHaveLength(1))
  const free = one('free')
  await vi.waitFor(() => expect(batches).toHaveLength(2))
  batches[1]!.answer.resolve(['answered'])
  expect(await free).toBe('answered')
  batches[0]!.answer.resolve(['late'])
  expect(await stuck).toBe('late')
})

test('a batch has a maximum size, and no request is lost', async () => {
  const one = batchRequests(async (items: readonly number[]) => {
    expect(items.length).toBeLessThanOrEqual(20)
    return items.map((item) => item * 2)
  })
  const numbers = Array.from({ length: 105 }, (_, n) => n)
  expect(await Promise.all(numbers.map(one))).toEqual(numbers.map((n) => n * 2))
})
