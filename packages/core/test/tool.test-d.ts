/** The matrix and the inference of tools, as the compiler sees them. What tool.test.ts refuses at run time is an error here. */
import {
  askUser,
  defineAgent,
  halt,
  toolDefiner,
  toolError,
  withJsonSchema,
  type Json,
  type JsonObject,
  type Model,
  type Tool,
  type ToolContext,
} from '@holdpoint/core'
import { testPorts } from '@holdpoint/testing'
import * as v from 'valibot'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const tool = toolDefiner(undefined)
const input = z.object({ to: z.string() })
const output = z.object({ amount: z.number() })
const named = { name: 'x', description: 'x', input }
declare const model: Model

describe('legal pairs compile', () => {
  test('server tools, with every setting', () => {
    const server = tool({
      ...named,
      approval: 'required',
      approvalTimeout: '1 day',
      onExpire: 'cancel',
      onLost: 'ask',
      timeout: 5,
      streaming: true,
      retention: 'keep',
      visible: false,
      run: () => 1,
    })
    expectTypeOf(server).toEqualTypeOf<Tool<{ to: string }, number, 'server'>>()
    expectTypeOf(tool({ ...named, executor: 'server', manual: true, run: () => 1 }).executor).toEqualTypeOf<'server'>()
  })

  test('a tool without run, for an agent of mode manual', () => {
    expectTypeOf(tool(named)).toEqualTypeOf<Tool<{ to: string }, unknown, 'server'>>()
  })

  test('a manual tool without run', () => {
    expectTypeOf(tool({ ...named, manual: true })).toEqualTypeOf<Tool<{ to: string }, unknown, 'server'>>()
    expectTypeOf(tool({ ...named, manual: true, output, approval: () => ({ required: true }) })).toEqualTypeOf<
      Tool<{ to: string }, { amount: number }, 'server'>
    >()
  })

  test('human tools, whose answer is the output', () => {
    const human = tool({
      ...named,
      executor: 'human',
      output,
      timeout: '2 days',
      late: 'inbox',
      async: true,
      onExpire: { answer: null },
    })
    expectTypeOf(human).toEqualTypeOf<Tool<{ to: string }, { amount: number }, 'human'>>()
  })

  test('client and external tools, gated or not', () => {
    expectTypeOf(
      tool({ ...named, executor: 'client', approval: { required: true, reason: 'r', approvers: 2 } }).executor,
    ).toExtend<'client' | 'external'>()
    expectTypeOf(tool({ ...named, executor: 'external', output, async: true, late: 'inbox' })).toExtend<
      Tool<{ to: string }, { amount: number }>
    >()
  })

  test('approval as a boolean, or as a function that gives one', () => {
    tool({ ...named, approval: true, run: () => 1 })
    tool({ ...named, approval: ({ input: { to } }) => to !== 'ada', run: () => 1 })
    tool({ ...named, executor: 'client', approval: async () => false })
    tool({ ...named, executor: 'human', approval: false })
    // @ts-expect-error no person is asked before a person is asked
    tool({ ...named, executor: 'human', approval: true })
  })

  test('approval "auto", on every executor', () => {
    tool({ ...named, approval: 'auto', run: () => 1 })
    tool({ ...named, executor: 'human', approval: 'auto' })
    tool({ ...named, executor: 'client', approval: 'auto' })
    tool({ ...named, executor: 'external', approval: 'auto' })
    tool({ executor: 'provider', name: 'x', id: 'x', approval: 'auto' })
  })

  test('provider tools', () => {
    expectTypeOf(
      tool({ executor: 'provider', name: 'x', id: 'openai.web_search', args: { size: 'small' } }),
    ).toEqualTypeOf<Tool<unknown, unknown, 'provider'>>()
  })
})

describe('illegal pairs are errors', () => {
  test('a gate on a person or on a vendor', () => {
    // @ts-expect-error asking a person to approve asking a person
    tool({ ...named, executor: 'human', approval: 'required' })
    // @ts-expect-error the vendor has run it before an approver could be asked
    tool({ executor: 'provider', name: 'x', id: 'x', approval: 'required' })
    // @ts-expect-error no gate, no time for it
    tool({ ...named, executor: 'human', approvalTimeout: '1 day' })
  })

  test('something to run where we do not run it', () => {
    const run = () => 1
    // @ts-expect-error the client runs it
    tool({ ...named, executor: 'client', run })
    // @ts-expect-error another service runs it
    tool({ ...named, executor: 'external', run })
    // @ts-expect-error only clients come and go
    tool({ ...named, executor: 'external', grace: '5 seconds' })
    // @ts-expect-error the answer is the result
    tool({ ...named, executor: 'human', run })
    // @ts-expect-error the vendor runs it
    tool({ executor: 'provider', name: 'x', id: 'x', run })
  })

  test('settings of waiting tools, on a tool that runs here', () => {
    // @ts-expect-error only calls that wait for an answer from outside can be async
    tool({ ...named, async: true, run: () => 1 })
    // @ts-expect-error it has no late answers
    tool({ ...named, late: 'inbox', run: () => 1 })
  })

  test('settings of our own code, on a tool that waits', () => {
    // @ts-expect-error no process of ours can die while it runs
    tool({ ...named, executor: 'external', onLost: 'retry' })
    // @ts-expect-error nothing of it runs by itself
    tool({ ...named, executor: 'client', manual: true })
    // @ts-expect-error never run by us, so never lost by us
    tool({ ...named, manual: true, onLost: 'retry' })
  })

  test('something missing, unknown or misspelt', () => {
    // @ts-expect-error no description
    tool({ name: 'x', input, run: () => 1 })
    // @ts-expect-error no input
    tool({ name: 'x', description: 'x', run: () => 1 })
    // @ts-expect-error no such executor
    tool({ ...named, executor: 'robot', run: () => 1 })
    // @ts-expect-error no such setting
    tool({ ...named, timeOut: 5, run: () => 1 })
    // @ts-expect-error no vendor's id
    tool({ executor: 'provider', name: 'x' })
    // @ts-expect-error the vendor describes its own tool
    tool({ executor: 'provider', name: 'x', id: 'x', input })
    // @ts-expect-error no such approval
    tool({ ...named, approval: 'maybe', run: () => 1 })
    // @ts-expect-error an approval function says whether it is required
    tool({ ...named, approval: () => ({ reason: 'r' }), run: () => 1 })
  })

  test('a result that does not fit the output schema', () => {
    // @ts-expect-error of another type
    tool({ ...named, output, run: () => ({ amount: '1' }) })
    // @ts-expect-error with something missing
    tool({ ...named, output, run: () => ({}) })
    // @ts-expect-error that may be of another type
    tool({ ...named, output, run: () => ({ amount: Math.random() > 0.5 ? 1 : '1' }) })
    // @ts-expect-error none, though promised
    tool({ ...named, output, run: async () => undefined })
    // @ts-expect-error in one of its branches
    tool({ ...named, output, run: async ({ input: { to } }) => (to ? { amount: 1 } : 'nothing') })
  })
})

describe('input is inferred', () => {
  const shape = z.object({
    to: z.string(),
    urgent: z.boolean().default(false),
    at: z.string().transform((text) => text.length),
  })
  type Shape = { to: string; urgent: boolean; at: number }

  test('from Zod, defaults and transforms applied, in run, approval and onLost alike', () => {
    tool({
      name: 'x',
      description: 'x',
      input: shape,
      approval: (context) => {
        expectTypeOf(context).toEqualTypeOf<ToolContext<Shape>>()
        return { required: context.input.urgent }
      },
      onLost: async ({ input: given }) => {
        expectTypeOf(given).toEqualTypeOf<Shape>()
        return { happened: 'unknown' }
      },
      run: ({ input: given, call, signal, progress }) => {
        expectTypeOf(given).toEqualTypeOf<Shape>()
        expectTypeOf(call.args).toEqualTypeOf<Json>()
        expectTypeOf(call.id).toEqualTypeOf<string>()
        expectTypeOf(signal.aborted).toEqualTypeOf<boolean>()
        expectTypeOf(progress).parameter(0).toEqualTypeOf<Json>()
        return null
      },
    })
  })

  test('in the gate of a client tool and of a manual tool', () => {
    tool({
      name: 'x',
      description: 'x',
      executor: 'client',
      input: shape,
      approval: ({ input: given }) => ({ required: expectTypeOf(given).toEqualTypeOf<Shape>() }),
    })
    tool({
      name: 'x',
      description: 'x',
      manual: true,
      input: shape,
      approval: ({ input: given }) => ({ required: expectTypeOf(given).toEqualTypeOf<Shape>() }),
    })
  })

  test('from Valibot, once it brings its JSON Schema', () => {
    const schema = withJsonSchema(v.object({ to: v.string(), at: v.pipe(v.string(), v.transform(Number)) }), {
      type: 'object',
    })
    tool({
      name: 'x',
      description: 'x',
      input: schema,
      run: ({ input: given }) => expectTypeOf(given).toEqualTypeOf<{ to: string; at: number }>(),
    })
  })

  test('as a JSON object from a raw JSON Schema, inline or from elsewhere', () => {
    const elsewhere: JsonObject = { type: 'object' }
    tool({
      name: 'x',
      description: 'x',
      input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      run: ({ input: given }) => expectTypeOf(given).toEqualTypeOf<JsonObject>(),
    })
    tool({
      name: 'x',
      description: 'x',
      input: elsewhere,
      run: ({ input: given }) => expectTypeOf(given).toEqualTypeOf<JsonObject>(),
    })
  })
})

describe('output is inferred', () => {
  test('from what run returns, now or later', () => {
    expectTypeOf(tool({ ...named, run: ({ input: { to } }) => ({ sent: to.length }) })).toEqualTypeOf<
      Tool<{ to: string }, { sent: number }, 'server'>
    >()
    expectTypeOf(tool({ ...named, run: async ({ input: { to } }) => to.split(',') })).toEqualTypeOf<
      Tool<{ to: string }, string[], 'server'>
    >()
    expectTypeOf(tool({ ...named, run: async () => {} })).toEqualTypeOf<Tool<{ to: string }, void, 'server'>>()
  })

  test('from what an async generator returns, not from what it yields', () => {
    const made = tool({
      ...named,
      run: async function* ({ input: { to } }) {
        yield 'half'
        if (to === '') return toolError('To whom?')
        return { sent: to }
      },
    })
    expectTypeOf(made).toEqualTypeOf<Tool<{ to: string }, { sent: string }, 'server'>>()
    tool({
      ...named,
      output,
      run: async function* () {
        yield { page: 1 }
        return { amount: 1 }
      },
    })
  })

  test('from the output schema, which run must meet before its defaults and transforms', () => {
    const kind = z.object({ kind: z.enum(['a', 'b']), note: z.string().default('') })
    const made = tool({ ...named, output: kind, run: () => ({ kind: 'a' }) })
    expectTypeOf(made).toEqualTypeOf<Tool<{ to: string }, { kind: 'a' | 'b'; note: string }, 'server'>>()
    tool({ ...named, output: kind, run: async ({ input: { to } }) => (to ? { kind: 'a' } : { kind: 'b', note: to }) })
    // @ts-expect-error a kind is text
    tool({ ...named, output: kind, run: () => ({ kind: 7 }) })
    // @ts-expect-error the kind is missing
    tool({ ...named, output: kind, run: () => ({}) })
  })

  test('from run when the output schema is raw JSON Schema, which has no types', () => {
    expectTypeOf(tool({ ...named, output: { type: 'number' }, run: async () => 1 })).toEqualTypeOf<
      Tool<{ to: string }, number, 'server'>
    >()
  })

  test('askUser, halt and toolError may be returned and leave no trace in it', () => {
    const mixed = tool({
      ...named,
      run: async ({ input: { to } }) => {
        if (to === '') return askUser('To whom?')
        if (to === '*') return toolError('Not to everybody')
        return to === '!' ? halt('Stopped') : { sent: to }
      },
    })
    expectTypeOf(mixed).toEqualTypeOf<Tool<{ to: string }, { sent: string }, 'server'>>()
    expectTypeOf(
      tool({ ...named, output, run: ({ input: { to } }) => (to ? { amount: 1 } : askUser('How much?')) }),
    ).toEqualTypeOf<Tool<{ to: string }, { amount: number }, 'server'>>()
    expectTypeOf(tool({ ...named, run: ({ input: { to } }) => (to ? to : halt('Stopped')) })).toEqualTypeOf<
      Tool<{ to: string }, string, 'server'>
    >()
  })
})

test('tools of different inputs, outputs and executors fit one agent', () => {
  const tools = [
    tool({ ...named, run: () => 1 }),
    tool({
      name: 'y',
      description: 'y',
      input: z.object({ n: z.number() }),
      approval: ({ input: { n } }) => ({ required: n > 1 }),
      run: async ({ input: { n } }) => n,
    }),
    tool({ name: 'z', description: 'z', executor: 'human', input: z.object({ question: z.string() }), output }),
    tool({ name: 'c', description: 'c', executor: 'client', input: { type: 'object' } }),
    tool({ name: 'p', executor: 'provider', id: 'openai.web_search' }),
  ]
  defineAgent({ name: 'desk', model, tools }, testPorts())
  expectTypeOf(tools).toExtend<readonly Tool[]>()
})

test('ordinary code of a handler compiles, with and without an output schema', () => {
  const count = ['a', 'b']
  tool({ ...named, run: () => ({ n: count.reduce((sum, each) => sum + each.length, 0) }) })
  tool({
    ...named,
    output: z.object({ n: z.number() }),
    run: () => ({ n: count.reduce((sum, each) => sum + each.length, 0) }),
  })
  tool({ ...named, run: () => new Promise<string>((resolve) => resolve('x')) })
  tool({ ...named, output: z.string(), run: () => new Promise<string>((resolve) => resolve('x')) })
  tool({ ...named, output: z.array(z.enum(['a', 'b'])), run: async () => ['a', 'b'] })
})
