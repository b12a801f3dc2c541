/** Results of tools, as the compiler sees them: what `run` may give back, and what its calls come to. */
import { toolDefiner, type Json, type OutcomeError, type Tool } from '@holdpoint/core'
import { callsTo, type CallTo, type TurnResult } from '@holdpoint/runtime'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const tool = toolDefiner(undefined)
const named = { name: 'x', description: 'x', input: z.object({ to: z.string() }) }
declare const turn: TurnResult

test('a result that JSON would drop does not compile', () => {
  // @ts-expect-error an answer that was not read
  tool({ ...named, run: () => ({ at: 1, answer: { arrayBuffer: () => 1, text: () => 'x' } }) })
  // @ts-expect-error promises that were not awaited
  tool({ ...named, run: async () => [1].map(async (n) => n) })
  // @ts-expect-error a Map
  tool({ ...named, run: () => new Map([['a', 1]]) })
  // @ts-expect-error bytes
  tool({ ...named, run: () => ({ file: new Uint8Array() }) })
  // @ts-expect-error what the schema makes of it is no JSON
  tool({ ...named, output: z.map(z.string(), z.number()), run: () => new Map([['a', 1]]) })
  // @ts-expect-error in one of its branches
  tool({ ...named, run: ({ input: { to } }) => (to ? 'x' : new Set([to])) })
})

class Row {
  readonly id = 7
  readonly at = new Date()
  save(): void {}
}
interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
declare const tree: Tree
declare const anything: ReturnType<typeof JSON.parse>
declare const dunno: unknown

test('a result that JSON keeps compiles, and so does one of which types know too little', () => {
  tool({ ...named, run: () => new Row() })
  tool({ ...named, run: () => ({ tree, none: undefined, maybe: undefined as string | undefined }) })
  tool({ ...named, run: () => ({ anything, dunno }) })
  tool({ ...named, run: async () => JSON.parse('1') })
  tool({ ...named, run: (): Record<string, unknown> => ({}) })
  tool({ ...named, run: () => new Error('no') })
  tool({ ...named, output: z.map(z.string(), z.number()).transform((map) => [...map]), run: () => new Map() })
  expectTypeOf(<T extends { id: string }>(run: () => Promise<T>) => tool({ ...named, run })).toBeFunction()
})

test('what a call came to has the type of the tool', () => {
  const sent = tool({ ...named, run: async () => ({ at: new Date(), to: 'x', cc: undefined as string | undefined }) })
  const outcome = callsTo(sent, turn)[0]!.outcome!
  if (outcome.ok)
    expectTypeOf(outcome.value).toEqualTypeOf<{
      readonly at: string
      readonly to: string
      readonly cc: string | undefined
    }>()
  else expectTypeOf(outcome.error).toEqualTypeOf<OutcomeError>()
  type ValueOf<T extends Tool> =
    T extends Tool<infer _I, infer O> ? Extract<CallTo<O>['outcome'], { readonly ok: true }>['value'] : never
  const counted = tool({
    ...named,
    executor: 'human',
    output: z.object({ n: z.coerce.number(), tags: z.array(z.string()) }),
  })
  expectTypeOf<ValueOf<typeof counted>>().toEqualTypeOf<{ readonly n: number; readonly tags: readonly string[] }>()
  const unknowing = tool({ ...named, executor: 'external' })
  expectTypeOf<ValueOf<typeof unknowing>>().toEqualTypeOf<Json>()
  const silent = tool({ ...named, run: () => {} })
  expectTypeOf<ValueOf<typeof silent>>().toEqualTypeOf<null>()
})
