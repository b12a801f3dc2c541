import { expect, test, vi } from 'vitest'
import { together } from '../src/together.ts'

/** Asks that are answered when the test says so. */
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

test('what is asked while a question is under way goes with the next, and each has its own answer', async () => {
  const { batches, ask } = asked()
  const one = together(ask)
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

test('a question that is not answered holds up nobody for long', async () => {
  const { batches, ask } = asked()
  const one = together(ask)
  const stuck = one('stuck')
  await vi.waitFor(() => expect(batches).toHaveLength(1))
  const free = one('free')
  await vi.waitFor(() => expect(batches).toHaveLength(2), 15_000)
  batches[1]!.answer.resolve(['answered'])
  expect(await free).toBe('answered')
  batches[0]!.answer.resolve(['late'])
  expect(await stuck).toBe('late')
})

test('so many at most go together, and none is forgotten', async () => {
  const one = together(async (items: readonly number[]) => {
    expect(items.length).toBeLessThanOrEqual(20)
    return items.map((item) => item * 2)
  })
  const numbers = Array.from({ length: 105 }, (_, n) => n)
  expect(await Promise.all(numbers.map(one))).toEqual(numbers.map((n) => n * 2))
})
