import { chat, tool, toolError } from 'holdpoint'
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, tick, toldTo } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const fails = tool({ name: 'fails', description, input, run: () => toolError('out of stock') })
const works = tool({ name: 'works', description, input, run: () => 'fine' })
const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })

test('a failed call is told to the model and the turn goes on, unless something else was asked for', async () => {
  const { agent, model } = desk([{ calls: [call('fails')] }, 'I will look elsewhere.'], { tools: [fails] })

  expect(await chat(agent, 'Go')).toMatchObject({ status: 'done', text: 'I will look elsewhere.' })
  expect(toldTo(model)).toMatchObject({ fails: { ok: false } })
})

test('onToolError halt ends the turn with the error, after the other calls of the round', async () => {
  const { agent, model } = desk([{ calls: [call('fails'), call('works')] }], {
    tools: [fails, works],
    onToolError: 'halt',
  })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'stopped', reason: 'tool_error', message: 'out of stock' })
  expect(outcomes(result.session)).toMatchObject({ fails: { ok: false }, works: { ok: true } })
  expect(model.requests).toHaveLength(1)
  expectSound(result.session, model)
})

test(
  proves('round.siblings-unharmed', 'onToolError halt waits for a held sibling, which still runs when it is approved'),
  async () => {
    const { agent } = desk([{ calls: [call('fails'), call('pay')] }], { tools: [fails, pay], onToolError: 'halt' })
    const { session, status } = await chat(agent, 'Go')
    expect(status).toBe('held')

    await session.approve(idOf(session, 'pay'))

    expect(await session.continue()).toMatchObject({ status: 'stopped', reason: 'tool_error' })
    expect(outcomes(session)).toMatchObject({ pay: { ok: true, value: 'paid' } })
  },
)

test('a function decides for each call by its name and its error', async () => {
  const asked: unknown[] = []
  const onToolError = (failed: unknown, error: { readonly message: string }): 'halt' | 'continue' => {
    asked.push(failed, error)
    return error.message === 'out of stock' ? 'halt' : 'continue'
  }
  const other = tool({ name: 'other', description, input, run: () => toolError('try again') })
  const { agent } = desk([{ calls: [call('other')] }, { calls: [call('fails')] }], {
    tools: [fails, other],
    onToolError,
  })

  expect(await chat(agent, 'Go')).toMatchObject({ reason: 'tool_error', steps: [{ step: 1 }, { step: 2 }] })
  expect(asked).toMatchObject([
    { name: 'other', id: expect.any(String) },
    { code: 'failed', message: 'try again' },
    { name: 'fails' },
    { code: 'failed' },
  ])
})

test('a policy that throws, or says neither, is no yes to going on: the turn ends, and the outcome is kept', async () => {
  let runs = 0
  const once = tool({ name: 'once', description, input, run: () => (runs++, toolError('no')) })
  const policies = [
    () => {
      throw new Error('the policy broke')
    },
    () => 'perhaps' as never,
  ]
  for (const onToolError of policies) {
    const { agent } = desk([{ calls: [call('once')] }], { tools: [once], onToolError })

    const result = await chat(agent, 'Go')

    expect(result).toMatchObject({ status: 'stopped', reason: 'tool_error', message: 'no' })
    expect(outcomes(result.session)).toMatchObject({ once: { ok: false, error: { code: 'failed' } } })
  }
  expect(runs).toBe(2)
})

test.each([
  ['a timeout', tool({ name: 'x', description, input, timeout: '1 second', run: () => new Promise<never>(() => {}) })],
  ['a result that does not fit', tool({ name: 'x', description, input, output: z.string(), run: () => 7 as never })],
])('%s counts as a failure of the tool', async (_what, x) => {
  const { agent, clock } = desk([{ calls: [call('x')] }], { tools: [x], onToolError: 'halt' })
  const result = chat(agent, 'Go')
  for (let i = 0; i < 5; i++) await tick()
  await clock.advance(1000)

  expect(await result).toMatchObject({ reason: 'tool_error' })
})

test("a rejection and a model's own mistakes are no failures of the tool, and do not halt", async () => {
  const { agent } = desk([{ calls: [{ name: 'works', raw: 'not json' }, call('missing'), call('pay')] }, 'I see.'], {
    tools: [works, pay],
    onToolError: 'halt',
  })
  const { session } = await chat(agent, 'Go')

  await session.reject(idOf(session, 'pay'), 'too much')

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'I see.' })
})
