/** Results from anywhere must fit what the tool says it gives: our own code's, and all the more those of strangers. */
import { askUser, toolDefiner, type Json, type Tool } from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { proves } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, outcomes, toldTo } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const output = z.object({ amount: z.number().positive(), currency: z.string().default('EUR') })
const named = { name: 'budget', description: 'Ask for a budget', input: nothing, output }
const budget = { calls: [call('budget')] }

describe('what our own code returns', () => {
  async function returned(made: Tool) {
    const { agent, model } = desk([{ calls: [call(made.name)] }, 'done'], { tools: [made] })
    const { session } = await chat(agent, 'go')
    expectSound(session, model)
    return outcomes(session)[made.name]
  }

  test('is what the output schema makes of it', async () => {
    expect(await returned(tool({ ...named, run: () => ({ amount: 5, secret: 'x' }) }))).toEqual({
      ok: true,
      value: { amount: 5, currency: 'EUR' },
    })
  })

  test('is an error that names what does not fit', async () => {
    expect(await returned(tool({ ...named, run: async () => ({ amount: -5 }) }))).toMatchObject({
      ok: false,
      error: {
        code: 'invalid-output',
        message: expect.stringMatching(/^The result does not fit the tool's output schema: amount: /),
      },
    })
  })

  test('is stored as JSON: dates as text, undefined as null', async () => {
    expect(
      await returned(
        tool({ name: 'x', description: 'x', input: nothing, run: () => ({ at: new Date(0), gone: undefined }) }),
      ),
    ).toEqual({ ok: true, value: { at: '1970-01-01T00:00:00.000Z' } })
    expect(await returned(tool({ name: 'x', description: 'x', input: nothing, run: () => undefined }))).toEqual({
      ok: true,
      value: null,
    })
  })

  test('is a copy: what the tool does to it later changes nothing', async () => {
    const kept = { items: ['a'] }
    const { agent } = desk([{ calls: [call('x')] }, 'done'], {
      tools: [tool({ name: 'x', description: 'x', input: nothing, run: () => kept })],
    })
    const { session } = await chat(agent, 'go')
    kept.items.push('b')
    expect(outcomes(session)['x']).toEqual({ ok: true, value: { items: ['a'] } })
  })
})

describe('what a stranger answers', () => {
  const ask = () => askUser('How much?')
  const strangers: [who: string, made: Tool][] = [
    ['a person', tool({ ...named, executor: 'human' })],
    ['a client', tool({ ...named, executor: 'client' })],
    ['another service', tool({ ...named, executor: 'external' })],
    ['the caller of a manual tool', tool({ ...named, manual: true })],
    ['a person whom a tool asked', tool({ ...named, run: ask })],
  ]

  test.each(strangers)(
    proves(
      'output.untrusted-is-checked',
      'bad-input.nothing-half-written',
      '%s is told what does not fit, nothing is written, and the hold stays open',
    ),
    async (_who, made) => {
      const { agent } = desk([budget, 'done'], { tools: [made] })
      const { session, holds } = await chat(agent, 'go')
      const before = JSON.stringify(session)

      for (const value of [{ amount: '5' }, { amount: -5 }, {}, 5, null, 'lots', [{ amount: 5 }]] as Json[]) {
        expect(await session.answer(holds[0]?.callId ?? '', value)).toMatchObject({
          verdict: 'invalid',
          message: expect.stringContaining("does not fit the tool's output schema"),
        })
      }
      expect(JSON.stringify(session)).toBe(before)
      expect(session.holds).toEqual(holds)
    },
  )

  test.each(strangers)(
    proves(
      'output.untrusted-is-checked',
      '%s who answers well is believed, and the model reads what the schema made of it',
    ),
    async (_who, made) => {
      const { agent, model } = desk([budget, 'done'], { tools: [made] })
      const { session, holds } = await chat(agent, 'go')
      expect(await session.answer(holds[0]?.callId ?? '', { amount: 5, isAdmin: true })).toMatchObject({
        verdict: 'accepted',
      })
      await session.continue()
      expect(toldTo(model)).toEqual({ budget: { ok: true, result: { amount: 5, currency: 'EUR' } } })
    },
  )

  test.each(strangers)('%s may say that there is no answer, which no schema can refuse', async (_who, made) => {
    const { agent, model } = desk([budget, 'done'], { tools: [made] })
    const { session, holds } = await chat(agent, 'go')
    expect(await session.resolve(holds[0]?.callId ?? '', { kind: 'answer', error: 'The owner is away' })).toMatchObject(
      { verdict: 'accepted' },
    )
    await session.continue()
    expect(toldTo(model)).toEqual({ budget: { ok: false, error: { code: 'failed', message: 'The owner is away' } } })
  })

  test.each([
    ['an async call', { async: true }, 0],
    ['a call that expired and takes late answers', { late: 'inbox', timeout: '1 second' }, 2000],
  ] as const)(
    proves('output.untrusted-is-checked', '%s: the answer is checked although the turn has gone on'),
    async (_what, settings, wait) => {
      const { agent, clock } = desk([budget, 'done', 'thanks'], {
        tools: [tool({ ...named, executor: 'external', ...settings })],
      })
      const { session } = await chat(agent, 'go')
      const callId = session.events.find((event) => event.type === 'call.held')?.callId ?? ''
      await clock.advance(wait)
      await session.continue()

      expect(await session.answer(callId, { amount: 'lots' })).toMatchObject({ verdict: 'invalid' })
      expect(await session.answer(callId, { amount: 5 })).toMatchObject({ verdict: 'accepted' })
      expect(session.events.findLast((event) => event.type === 'answer.arrived')).toMatchObject({
        outcome: { ok: true, value: { amount: 5, currency: 'EUR' } },
      })
    },
  )

  test('an answer without an output schema may be any JSON', async () => {
    const { agent, model } = desk([{ calls: [call('free')] }, 'done'], {
      tools: [tool({ name: 'free', description: 'x', executor: 'human', input: nothing })],
    })
    const { session, holds } = await chat(agent, 'go')
    await session.answer(holds[0]?.callId ?? '', [null, { any: 'thing' }])
    await session.continue()
    expect(toldTo(model)).toEqual({ free: { ok: true, result: [null, { any: 'thing' }] } })
  })

  test('a program that renders a form is given the schema of the answer', async () => {
    const { holds } = await chat(desk([budget], { tools: [strangers[0]![1]] }).agent, 'go')
    expect(holds[0]?.answerSchema).toMatchObject({
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
    })
  })
})
