/** A result that is too large becomes an error that says so, and no part of it is in the log, for every executor. */
import {
  ask,
  askUser,
  halt,
  later,
  toolError,
  type AgentOptions,
  type CallOutcome,
  type LogEvent,
} from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { tool } from 'holdpoint'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { jsonBytes } from '@holdpoint/core/internal/json'
import { call, desk, expectSound, outcomes, toldTo } from '../../../test/kit/session-kit.ts'

const input = z.object({})
const named = { name: 'x', description: 'x', input }
const MB = 1_048_576
const huge = 'x'.repeat(20 * MB)

function size(events: readonly LogEvent[]): number {
  return JSON.stringify(events).length
}

async function returned(run: () => unknown, options: Partial<AgentOptions> = {}, settings = {}) {
  const { agent, model } = desk([{ calls: [call('x')] }, 'done'], {
    tools: [tool({ ...named, ...settings, run })],
    ...options,
  })
  const { session } = await chat(agent, 'go')
  expectSound(session, model)
  return { outcome: outcomes(session)['x'], bytes: size(session.events), told: toldTo(model)['x'] }
}

describe('what our own code returns', () => {
  test.each<[what: string, run: () => unknown]>([
    ['a text of 20 MB', () => huge],
    ['a list', () => Array.from({ length: 200_000 }, (_, n) => ({ row: n }))],
    ['a promised object', async () => ({ pages: [{ text: huge }] })],
    ['the value of a halt', () => halt('Stop', huge)],
    ['a question', () => askUser('Which?', { choices: huge })],
    ['a question in the middle', () => ask({ prompt: 'Which?', state: { all: huge } })],
    ['what it needs later', () => later({ after: '1 s', state: huge })],
  ])('%s is an error that says its size and the limit, and nothing of it is written', async (_what, run) => {
    const { outcome, bytes, told } = await returned(run)
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'too-large',
        message: expect.stringMatching(/: (20|2\.\d|3\.\d) MB\. The limit is 1 MB\. Return less/),
      },
    })
    if (told !== undefined) expect(told).toMatchObject({ ok: false, error: { code: 'too-large' } })
    expect(bytes).toBeLessThan(5000)
  })

  test('is checked after its schema, which may leave some of it out', async () => {
    const settings = { output: z.object({ title: z.string() }) }
    expect((await returned(() => ({ title: 'short', body: huge }), {}, settings)).outcome).toMatchObject({ ok: true })
    expect((await returned(() => ({ title: huge }), {}, settings)).outcome).toMatchObject({
      error: { code: 'too-large' },
    })
  })

  test.each([
    ['thrown', () => Promise.reject(new Error(huge))],
    ['returned, with details', () => toolError(huge, { all: huge })],
  ])('an error of that size (%s) keeps the beginning of its message', async (_how, run) => {
    const { outcome, bytes } = await returned(run)
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'failed', message: expect.stringMatching(/^x{2000}… \(20971520 characters\)$/) },
    })
    expect(bytes).toBeLessThan(20_000)
  })

  test('is limited by the tool, or by the agent where the tool says nothing', async () => {
    const text = 'x'.repeat(100)
    const code = async (options: Partial<AgentOptions>, settings: object) => {
      const outcome = (await returned(() => text, options, settings)).outcome as CallOutcome
      return outcome.ok ? 'ok' : outcome.error.code
    }
    expect(await code({ maxResultBytes: 102 }, {})).toBe('ok')
    expect(await code({ maxResultBytes: 101 }, {})).toBe('too-large')
    expect(await code({ maxResultBytes: 10 }, { maxResultBytes: 102 })).toBe('ok')
    expect(await code({}, { maxResultBytes: 101 })).toBe('too-large')
    expect((await returned(() => huge, { maxResultBytes: 30 * MB })).outcome).toMatchObject({ ok: true })
  })

  test.each([0, 1.5, '1 MB'])('%j is no limit', (maxResultBytes) => {
    const wrong = { maxResultBytes: maxResultBytes as number }
    expect(() => tool({ ...named, run: () => 1, ...wrong })).toThrow('"maxResultBytes" must be a whole number from 1')
    expect(() => desk([], wrong)).toThrow('"maxResultBytes" must be a whole number from 1')
  })
})

describe('what others answer', () => {
  const strangers = [
    ['a person', tool({ ...named, executor: 'human' })],
    ['a client', tool({ ...named, executor: 'client' })],
    ['another service', tool({ ...named, executor: 'external' })],
    ['another service, after its turn', tool({ ...named, executor: 'external', async: true })],
    ['the caller of a manual tool', tool({ ...named, manual: true })],
    ['a person whom a tool asked', tool({ ...named, run: () => ask({ prompt: 'Which?' }) })],
  ] as const

  test.each(strangers)(
    '%s is told that it is too large, nothing is written, and the call stays held',
    async (_who, x) => {
      const { agent } = desk([{ calls: [call('x')] }, 'done'], { tools: [x] })
      const { session } = await chat(agent, 'go')
      const before = session.events.length
      const { callId } = session.holds[0]!
      for (const resolution of [
        { kind: 'answer', value: huge },
        { kind: 'answer', error: huge },
      ] as const)
        expect(await session.resolve(callId, resolution)).toMatchObject({
          verdict: 'invalid',
          message: expect.stringContaining(': 20 MB. The limit is 1 MB.'),
        })
      expect(session.events).toHaveLength(before)
      expect(await session.answer(callId, 'small')).toMatchObject({ verdict: 'accepted' })
    },
  )
})

test('the bytes that are counted are those of the JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      const value = JSON.parse(JSON.stringify(given)) as Parameters<typeof jsonBytes>[0]
      const exact = new TextEncoder().encode(JSON.stringify(value)).length
      const counted = jsonBytes(value)
      // Commas after the last item, and short escapes, are counted too: never less, and little more.
      expect(counted).toBeGreaterThanOrEqual(exact)
    }),
  )
  expect(jsonBytes('aé€𝄞')).toBe(new TextEncoder().encode('"aé€𝄞"').length)
})
