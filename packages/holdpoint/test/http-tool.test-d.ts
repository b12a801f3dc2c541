import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { httpTool } from '../src/http-tool/http-tool.ts'

const base = { name: 'a', description: 'A', url: 'https://api.test/' }

test('headers, approval and onLost see the checked input', () => {
  const tool = httpTool({
    ...base,
    input: z.object({ id: z.number() }),
    headers: ({ input }) => ({ 'x-id': expectTypeOf(input.id).toEqualTypeOf<number>() && String(input.id) }),
    approval: ({ input }) => ({ required: input.id > 1 }),
    onLost: ({ input }) => (input.id > 1 ? { happened: false } : { happened: 'unknown' }),
  })
  expectTypeOf(tool.executor).toEqualTypeOf<'server'>()
})

test('what makes no sense does not compile', () => {
  const input = z.object({})
  // @ts-expect-error the url is needed
  httpTool({ name: 'a', description: 'A', input })
  // @ts-expect-error the call is the run
  httpTool({ ...base, input, run: () => 1 })
  // @ts-expect-error it is a server tool
  httpTool({ ...base, input, executor: 'human' })
  // @ts-expect-error methods are written in capitals
  httpTool({ ...base, input, method: 'get' })
})
