import { proves } from '@holdpoint/testing'
import { chat, ModelError, Session, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved } from '../../../../test/kit/session-kit.ts'

const Answer = z.object({ answer: z.number() })
const add = tool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ input }) => input.a + input.b,
})
const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' })
const sum = call('add', { a: 40, b: 2 })

test('a turn with an output schema binds the model to it and comes back with the value', async () => {
  const { agent, model } = desk([{ calls: [sum] }, '{"answer": 42}'], { tools: [add] })

  const result = await chat(agent, '40 + 2?', { output: Answer })

  expect(result).toMatchObject({ status: 'done', output: { answer: 42 }, text: '{"answer": 42}', metadata: {} })
  expect(model.requests.map(({ output }) => output?.schema)).toEqual([
    expect.objectContaining({ type: 'object' }),
    expect.objectContaining({ type: 'object' }),
  ])
})

test('an agent may have an output schema, which a message may replace', async () => {
  const { agent } = desk(['{"answer": 1}', '{"name": "Ada"}'], { output: Answer })

  expect(await chat(agent, '?')).toMatchObject({ output: { answer: 1 } })
  expect(await chat(agent, '?', { output: z.object({ name: z.string() }) })).toMatchObject({
    status: 'done',
    output: { name: 'Ada' },
  })
})

test('the model is told the name and the description of the output, and a raw JSON Schema byte for byte', async () => {
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }
  const { agent, model } = desk(['{"answer": "no"}', '{"answer": 1}'])

  expect(await chat(agent, '?', { output: { name: 'Answer', description: 'The answer', schema } })).toMatchObject({
    reason: 'output_invalid',
  })
  expect(await chat(agent, '?', { output: { schema } })).toMatchObject({ status: 'done', output: { answer: 1 } })
  expect(model.requests[0]?.output).toEqual({ name: 'Answer', description: 'The answer', schema })
})

test.each([
  ['no JSON', 'forty-two'],
  ['another shape', '{"answer": "forty-two"}'],
  ['nothing', { text: '' }],
  ['JSON with words around it', 'Here: {"answer": 42}'],
])('a reply that is %s fails the turn, with the text kept', async (_what, reply) => {
  const { agent, model } = desk([reply, '{"answer": 42}'], { output: Answer })

  const result = await chat(agent, '?')

  expect(result).toMatchObject({ status: 'failed', reason: 'output_invalid', output: undefined })
  expect(result.text).toBe(typeof reply === 'string' ? reply : '')
  expect(result.session.status).toBe('error')
  expect(await result.session.continue()).toMatchObject({ status: 'done', output: { answer: 42 } })
  expectSound(result.session, model)
})

test('an unusable schema is refused before anything is written', async () => {
  const session = await Session.open(desk([]).agent)

  await expect(session.send('?', { output: { schema: { type: 'nonsense' } } })).rejects.toMatchObject({
    isHoldpointError: true,
  })
  expect(session.events).toEqual([])
})

test('structuredFinalize lets the tool loop run free and asks for the result in a second pass', async () => {
  const { agent, model } = desk([{ calls: [sum] }, 'It is 42, I think.', '{"answer": 42}'], { tools: [add] })

  const result = await chat(agent, '40 + 2?', { output: Answer, structuredFinalize: true })

  expect(result).toMatchObject({ status: 'done', output: { answer: 42 } })
  expect(result.steps.map(({ step, text }) => [step, text])).toEqual([
    [1, ''],
    [2, 'It is 42, I think.'],
    [3, '{"answer": 42}'],
  ])
  expect(result.metadata.structuredFinalize?.pass1).toMatchObject({
    halted: 'completed',
    text: 'It is 42, I think.',
    reply: { finish: 'stop' },
  })
  expect(model.requests.map(({ output, toolChoice }) => [output !== undefined, toolChoice])).toEqual([
    [false, undefined],
    [false, undefined],
    [true, 'none'],
  ])
  expect(model.requests[2]?.prompt.slice(-2)).toMatchObject([
    { role: 'assistant', parts: [{ text: 'It is 42, I think.' }] },
    { role: 'user' },
  ])
  expectSound(result.session, model)
})

test(
  proves('call.one-outcome', 'a call the model makes in the second pass is left out with a note, and nothing runs'),
  async () => {
    let runs = 0
    const count = tool({ name: 'count', description: 'Counts', input: z.object({}), run: () => ++runs })
    const rogue = [
      { type: 'call-input', id: 'x', name: 'count', delta: '{}' },
      { type: 'call', id: 'x', name: 'count', input: '{}', byProvider: false },
      { type: 'text', id: 't', delta: '{"answer": 1}' },
      { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } },
    ] as const
    const { agent } = desk(['Thinking.', rogue], { tools: [count], output: Answer, structuredFinalize: true })

    const result = await chat(agent, '?')

    expect(result).toMatchObject({ status: 'done', output: { answer: 1 } })
    expect(result.steps[1]?.reply.notes).toMatchObject([{ leftOut: 'call', name: 'count' }])
    expect(runs).toBe(0)
  },
)

test('the second pass has a step of its own beyond maxSteps, and its invalid result fails the turn', async () => {
  const { agent } = desk(['Thinking.', 'no json'], { output: Answer, structuredFinalize: true, maxSteps: 1 })

  expect(await chat(agent, '?')).toMatchObject({ status: 'failed', reason: 'output_invalid', steps: { length: 2 } })
})

test.each([
  ['gives no JSON', 'no json', 'output_invalid'],
  ['gives other JSON', '{"answer": "many"}', 'output_invalid'],
  ['has no model to answer', new ModelError('401 bad key', { retryable: false }), 'model_failed'],
  ['is cut off', [{ type: 'text', id: 't', delta: '{"ans' }], 'interrupted'],
] as const)('what the first pass came to is told also when the second one %s', async (_what, second, reason) => {
  const { agent } = desk([{ calls: [sum] }, 'It is 42.', second], {
    tools: [add],
    output: Answer,
    structuredFinalize: true,
  })

  expect(await chat(agent, '?')).toMatchObject({
    status: 'failed',
    reason,
    metadata: { structuredFinalize: { pass1: { halted: 'completed', text: 'It is 42.', reply: { finish: 'stop' } } } },
  })
})

test('a loop that was stopped by its limit has no second pass', async () => {
  const { agent, model } = desk([{ calls: [sum] }], {
    tools: [add],
    output: Answer,
    structuredFinalize: true,
    maxSteps: 1,
  })

  expect(await chat(agent, '?')).toMatchObject({ reason: 'max_steps', output: undefined })
  expect(model.requests).toHaveLength(1)
})

test('structuredFinalize without a schema changes nothing', async () => {
  expect(await chat(desk(['Hi']).agent, '?', { structuredFinalize: true })).toMatchObject({
    status: 'done',
    steps: { length: 1 },
  })
})

test('a held turn is still bound to its schema when it is continued, here or in another process', async () => {
  const wrong = '{"answer": "forty-two"}'
  const here = desk([{ calls: [call('pay')] }, wrong], { tools: [pay] })
  const { session } = await chat(here.agent, 'Pay', { output: Answer })
  const there = desk([wrong, '{"answer": 1}'], { tools: [pay], process: 'q' })
  const restored = await Session.open(there.agent, saved(session))

  for (const each of [session, restored]) {
    await each.approve(idOf(each, 'pay'))
    expect(await each.continue()).toMatchObject({ status: 'failed', reason: 'output_invalid', output: undefined })
    expect(outcomes(each)).toEqual({ pay: { ok: true, value: 'paid' } })
  }
  expect(there.model.requests[0]?.output).toEqual(here.model.requests[0]?.output)
})

test('a message that takes over the turn of another is bound to its own schema', async () => {
  const { agent } = desk([{ calls: [call('slow')] }, '{"answer": "no"}'], {
    tools: [tool({ name: 'slow', description: 'Slow', input: z.object({}), run: () => new Promise<never>(() => {}) })],
  })
  const session = await Session.open(agent)
  const first = session.send('One')
  const second = session.send('Two', { whileBusy: 'supersede', output: Answer })

  expect(await second).toMatchObject({ status: 'failed', reason: 'output_invalid' })
  await first
})

test('an approval in the middle of the loop does not disturb the second pass', async () => {
  const { agent } = desk([{ calls: [call('pay')] }, 'Paid.', '{"answer": 7}'], {
    tools: [pay],
    output: Answer,
    structuredFinalize: true,
  })
  const { session } = await chat(agent, 'Pay')
  await session.approve(idOf(session, 'pay'))

  expect(await session.continue()).toMatchObject({ status: 'done', output: { answer: 7 }, steps: { length: 3 } })
})

test('a turn stays bound to the schema it began with, whatever it is continued with', async () => {
  const { agent, model } = desk([{ calls: [call('pay')] }, '{"answer": 1}'], { tools: [pay] })
  const { session } = await chat(agent, 'Pay', { output: Answer })
  await session.approve(idOf(session, 'pay'))

  expect(await session.continue({ output: z.object({ name: z.string() }) })).toMatchObject({
    status: 'done',
    output: { answer: 1 },
  })
  expect(model.requests[1]?.output).toEqual(model.requests[0]?.output)
})

test('a stop condition is not asked before the second pass', async () => {
  const asked: number[] = []
  const stopWhen = ({ step }: { step: number }): boolean => (asked.push(step), step > 2)
  const { agent } = desk([{ calls: [sum] }, 'It is 42.', '{"answer": 42}'], {
    tools: [add],
    output: Answer,
    structuredFinalize: true,
    stopWhen,
  })

  expect(await chat(agent, '?')).toMatchObject({ status: 'done', output: { answer: 42 } })
  expect(asked).toEqual([2])
})

test('a first pass that ends the turn says why; one that waits for an answer has nothing to tell yet', async () => {
  const { agent } = desk([{ calls: [sum] }, { calls: [sum] }], {
    tools: [add],
    output: Answer,
    structuredFinalize: true,
    maxSteps: 2,
  })

  expect(await chat(agent, '?')).toMatchObject({
    reason: 'max_steps',
    metadata: { structuredFinalize: { pass1: { halted: 'max_steps', text: '', reply: { finish: 'calls' } } } },
  })
  expect(
    (
      await chat(
        desk([{ calls: [sum] }, { calls: [call('pay')] }], {
          tools: [add, pay],
          output: Answer,
          structuredFinalize: true,
        }).agent,
        '?',
      )
    ).metadata,
  ).toEqual({})
})
