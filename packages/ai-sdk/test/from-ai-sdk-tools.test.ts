import { fromAiSdkTools, type FromAiSdkOptions, type ForeignTool } from '@holdpoint/ai-sdk'
import { scriptedModel, type ScriptedCall } from '@holdpoint/testing'
import { dynamicTool, jsonSchema, tool } from 'ai'
import { agent, holdpoint, memoryStore, type Runtime, type TurnResult } from 'holdpoint'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'

const open: Runtime[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

interface Asked {
  readonly runtime: Runtime
  readonly result: TurnResult
}

/** The model makes these calls, in a conversation of an agent with these tools. */
async function ask(
  tools: Readonly<Record<string, ForeignTool>> | readonly ForeignTool[],
  calls: readonly ScriptedCall[],
  options?: FromAiSdkOptions,
): Promise<Asked> {
  const model = scriptedModel([{ calls }, 'Done.'])
  const desk = agent({ name: 'desk', model, tools: fromAiSdkTools(tools, options) })
  const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents: [desk] })
  open.push(runtime)
  return { runtime, result: await runtime.send('c1', 'go') }
}

async function outcomes({ runtime }: Asked): Promise<unknown[]> {
  const view = await runtime.view('c1')
  return (view?.turns ?? []).flatMap(({ steps }) =>
    steps.flatMap(({ calls }) =>
      calls.map((call) => call.outcome && (call.outcome.ok ? call.outcome.value : call.outcome.error.message)),
    ),
  )
}

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string(), unit: z.enum(['C', 'F']).default('C') }),
  outputSchema: z.object({ degrees: z.number(), unit: z.string() }),
  execute: async ({ unit }) => ({ degrees: 20, unit }),
})

test('a tool of the AI SDK runs with its validated input, and keeps its name', async () => {
  const asked = await ask({ weather }, [{ name: 'weather', input: { city: 'Rome' } }])
  expect(asked.result).toMatchObject({ status: 'done', text: 'Done.' })
  expect(await outcomes(asked)).toEqual([{ degrees: 20, unit: 'C' }])
})

test('execute gets the id of the call and its signal, and invalid input does not reach it', async () => {
  const seen: unknown[] = []
  const look = tool({
    inputSchema: z.object({ n: z.number() }),
    execute: (input, { toolCallId, abortSignal }) => {
      seen.push({ input, toolCallId, aborted: abortSignal?.aborted })
      return 'ok'
    },
  })
  const asked = await ask({ look }, [
    { name: 'look', input: { n: 1 } },
    { name: 'look', input: { n: 'one' } },
  ])
  const calls = (await asked.runtime.view('c1'))?.turns[0]?.steps[0]?.calls
  expect(seen).toEqual([{ input: { n: 1 }, toolCallId: calls?.[0]?.callId, aborted: false }])
  expect(await outcomes(asked)).toEqual(['ok', expect.stringContaining('expected number')])
})

test('needsApproval and toolApproval hold the call; a function decides by the input', async () => {
  const ran: unknown[] = []
  const pay = tool({
    inputSchema: z.object({ euros: z.number() }),
    // oxlint-disable-next-line typescript/no-deprecated -- applications still have it
    needsApproval: ({ euros }) => euros > 100,
    execute: (input) => void ran.push(input),
  })
  const send = tool({ inputSchema: z.object({}), execute: () => void ran.push('sent') })
  const asked = await ask(
    { pay, send },
    [{ name: 'pay', input: { euros: 5 } }, { name: 'pay', input: { euros: 500 } }, { name: 'send' }],
    { toolApproval: { send: { type: 'user-approval', reason: 'It leaves the company' } } },
  )
  expect(asked.result.status).toBe('held')
  expect(ran).toEqual([{ euros: 5 }])
  const { items } = await asked.runtime.pending()
  expect(items.map(({ name, reason }) => [name, reason])).toEqual([
    ['pay', undefined],
    ['send', 'It leaves the company'],
  ])
  for (const { callId } of items) expect((await asked.runtime.approve('c1', callId)).verdict).toBe('accepted')
  await asked.runtime.continue('c1')
  expect(ran).toEqual([{ euros: 5 }, { euros: 500 }, 'sent'])
})

test('a rule that denies at the time of the call is stronger than an approval', async () => {
  const ran: unknown[] = []
  let status: 'user-approval' | 'denied' = 'user-approval'
  const send = tool({ inputSchema: z.object({}), execute: () => void ran.push('sent') })
  const asked = await ask({ send }, [{ name: 'send' }], { toolApproval: { send: () => status } })
  const [hold] = (await asked.runtime.pending()).items
  status = 'denied'
  await asked.runtime.approve('c1', hold?.callId ?? '')
  await asked.runtime.continue('c1')
  expect({ ran, outcomes: await outcomes(asked) }).toEqual({ ran: [], outcomes: ['A rule denied the call.'] })
})

test('a tool without execute is a client tool that waits for a page', async () => {
  const place = tool({ inputSchema: z.object({}), outputSchema: z.object({ city: z.string() }) })
  const asked = await ask({ place }, [{ name: 'place' }])
  const [hold] = (await asked.runtime.pending()).items
  expect(hold).toMatchObject({ kind: 'client', name: 'place', timeoutMs: 86_400_000 })
  expect((await asked.runtime.answer('c1', hold?.callId ?? '', { city: 5 })).verdict).toBe('invalid')
  expect((await asked.runtime.answer('c1', hold?.callId ?? '', { city: 'Rome' })).verdict).toBe('accepted')
})

test('schemas of every kind are validated: jsonSchema, lazy and dynamic', async () => {
  const even = jsonSchema<{ n: number }>(
    { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    {
      validate: (value) =>
        (value as { n: number }).n % 2 === 0
          ? { success: true, value: value as { n: number } }
          : { success: false, error: new Error('n must be even') },
    },
  )
  const plain = jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
  const execute = ({ n }: { n: number }): number => n
  const tools = {
    checked: tool({ inputSchema: even, execute }),
    raw: tool({ inputSchema: plain, execute }),
    late: tool({ inputSchema: () => plain, execute }),
    dynamic: dynamicTool({ inputSchema: plain, execute: (input) => input }),
  }
  const asked = await ask(tools, [
    { name: 'checked', input: { n: 3 } },
    { name: 'checked', input: { n: 2 } },
    { name: 'raw', input: { n: 'x' } },
    { name: 'late', input: { n: 4 } },
    { name: 'dynamic', input: { n: 5 } },
  ])
  expect(await outcomes(asked)).toEqual([
    expect.stringContaining('n must be even'),
    2,
    expect.stringContaining('number'),
    4,
    { n: 5 },
  ])
})

test('a generator shows progress, and its last value is the result', async () => {
  const count = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield 'one'
      yield 'two'
    },
  })
  const asked = await ask({ count }, [{ name: 'count' }])
  expect(await outcomes(asked)).toEqual(['two'])
})

test('objects like those of Mastra are taken by their ids', async () => {
  const seen: unknown[] = []
  const weatherTool = {
    id: 'get-weather',
    description: 'Weather',
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ degrees: z.number() }),
    requireApproval: true,
    execute: async (input: { city: string }, context: { agent?: { toolCallId: string } }) => {
      seen.push({ input, called: typeof context.agent?.toolCallId })
      return { degrees: 20 }
    },
  }
  const asked = await ask([weatherTool], [{ name: 'get-weather', input: { city: 'Rome' } }])
  const [hold] = (await asked.runtime.pending()).items
  await asked.runtime.approve('c1', hold?.callId ?? '')
  await asked.runtime.continue('c1')
  expect(await outcomes(asked)).toEqual([{ degrees: 20 }])
  expect(seen).toEqual([{ input: { city: 'Rome' }, called: 'string' }])
})

const inputSchema = z.object({})
test.each<[string, ForeignTool, FromAiSdkOptions | undefined]>([
  ['toModelOutput', { inputSchema, execute: () => 1, toModelOutput: () => 1 }, undefined],
  ['suspends', { inputSchema, execute: () => 1, suspendSchema: inputSchema }, undefined],
  ['contextSchema', { inputSchema, execute: () => 1, contextSchema: inputSchema }, undefined],
  ['is a function', { inputSchema, description: () => 'x', execute: () => 1 }, undefined],
  ['run by the application', { type: 'provider', id: 'openai.shell', isProviderExecuted: false }, undefined],
  ['not among the tools', { inputSchema, execute: () => 1 }, { toolApproval: { other: 'user-approval' } }],
  ['cannot be denied', { inputSchema }, { toolApproval: { it: 'denied' } }],
])('what has no equivalent is refused when the tool is converted: %s', (message, foreign, options) => {
  expect(() => fromAiSdkTools({ it: foreign }, options)).toThrow(message)
})
