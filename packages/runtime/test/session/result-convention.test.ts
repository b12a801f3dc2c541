import { chat, tool, toolError, type OutcomeEncoder } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, idOf, toldTo } from '../../../../test/kit/session-kit.ts'

const input = z.object({ n: z.number() })
const description = 'For a test'
const tools = [
  tool({ name: 'works', description, input, run: ({ input: { n } }) => n * 2 }),
  tool({ name: 'fails', description, input, run: () => toolError('no', { why: 1 }) }),
  tool({ name: 'gated', description, input, approval: 'required', run: ({ input: { n } }) => n }),
]

test('the model reads { ok, result } or { ok, error } with a code, a message and details', async () => {
  const { agent, model } = desk([{ calls: [call('works', { n: 2 }), call('fails', { n: 1 })] }, 'ok'], { tools })

  await chat(agent, 'Go')

  expect(toldTo(model)).toEqual({
    works: { ok: true, result: 4 },
    fails: { ok: false, error: { code: 'failed', message: 'no', details: { why: 1 } } },
  })
  const results = model.requests[1]?.prompt.flatMap((message) => (message.role === 'tool' ? message.results : []))
  expect(results?.map(({ isError }) => isError)).toEqual([false, true])
})

test('the model is told when an approver changed its input', async () => {
  const { agent, model } = desk([{ calls: [call('gated', { n: 1 })] }, 'ok'], { tools })
  const { session } = await chat(agent, 'Go')

  await session.approve(idOf(session, 'gated'), { input: { n: 5 } })
  await session.continue()

  expect(toldTo(model)).toEqual({ gated: { ok: true, result: 5, inputWasEditedTo: { n: 5 } } })
})

test('an agent may bring its own way of putting results, which gets the call and any edit', async () => {
  const seen: unknown[] = []
  const encodeOutcome: OutcomeEncoder = (outcome, of) => {
    seen.push(of)
    return outcome.ok
      ? `${of.name} gave ${JSON.stringify(outcome.value)}`
      : `${of.name} broke: ${outcome.error.message}`
  }
  const { agent, model } = desk(
    [{ calls: [call('works', { n: 2 }), call('fails', { n: 1 }), call('gated', { n: 1 })] }, 'ok'],
    { tools, encodeOutcome },
  )
  const { session } = await chat(agent, 'Go')
  await session.approve(idOf(session, 'gated'), { input: { n: 9 } })
  await session.continue()

  expect(toldTo(model)).toEqual({ works: 'works gave 4', fails: 'fails broke: no', gated: 'gated gave 9' })
  expect(seen).toContainEqual({ callId: expect.any(String), name: 'gated', editedInput: { n: 9 } })
})

test('the encoder changes what the model reads and not what is stored', async () => {
  const { agent } = desk([{ calls: [call('works', { n: 2 })] }, 'ok'], { tools, encodeOutcome: () => 'hidden' })

  const result = await chat(agent, 'Go')

  expect(result.steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: 4 })
})
