/** What is reckoned of a prompt besides its words, and a counter that does not count. */
import { scriptedModel } from '@holdpoint/testing'
import { agent, Session, type AgentOptions } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { estimateTokens } from '@holdpoint/core/internal/context/count'
import type { PromptMessage } from '@holdpoint/core/internal/prompt/prompt'

function begin(options: Partial<AgentOptions>) {
  const model = scriptedModel(['{}', '{}'])
  return { model, session: Session.begin(agent({ name: 'desk', model, ...options })) }
}

test.each([false, true])('the schema of the result takes its part of the budget (second pass: %s)', async (second) => {
  const output = z.object(Object.fromEntries(Array.from({ length: 200 }, (_, nth) => [`field_${nth}`, z.string()])))
  const { model, session } = begin({ output, structuredFinalize: second, context: { budget: 500 } })
  const { reason, message } = await session.send('Hi')
  expect(reason).toBe('context_full')
  expect(message).toMatch(/the schema of the result about \d{4}/)
  expect(model.requests).toHaveLength(second ? 1 : 0)
})

const counters: readonly [string, (what: unknown) => unknown, string][] = [
  ['throws', () => { throw new Error('boom') }, 'context.count failed: boom'], // prettier-ignore
  ['gives NaN', () => Number.NaN, 'context.count gave NaN'],
  ['gives nothing', () => undefined, 'context.count gave undefined'],
  ['gives a promise', () => Promise.resolve(3), 'context.count gave a promise'],
  ['gives less than nothing', () => -5, 'context.count gave -5'],
]

test.each(counters)('a counter that %s ends the turn, and says so', async (_, count, why) => {
  const { model, session } = begin({ context: { count: count as () => number } })
  const { status, reason, message } = await session.send('Hi')
  expect({ status, reason }).toEqual({ status: 'failed', reason: 'context_full' })
  expect(message).toContain(why)
  expect(model.requests).toEqual([])
})

const sizeOf = (part: object): number => estimateTokens({ role: 'user', parts: [part] } as PromptMessage)
const inBase64 = (mediaType: string, length: number): object => ({
  type: 'file',
  mediaType,
  file: { kind: 'base64', base64: 'A'.repeat(length) },
})

test('vendors’ own data on a call counts: signatures are long', () => {
  const call = { type: 'call', id: 'a', name: 'b', input: {} }
  const signed = { ...call, data: { google: { thoughtSignature: 'A'.repeat(4000) } } }
  expect(sizeOf(signed) - sizeOf(call)).toBeGreaterThan(1000)
})

test('files count by their kind and size', () => {
  expect(sizeOf(inBase64('image/png', 4_000_000))).toBeLessThan(2000)
  expect(sizeOf(inBase64('text/csv', 400_000))).toBeGreaterThan(100_000)
  expect(sizeOf(inBase64('application/json', 400_000))).toBeGreaterThan(100_000)
  expect(sizeOf(inBase64('application/pdf', 5_000_000))).toBeGreaterThan(100_000)
  expect(sizeOf(inBase64('application/pdf', 10))).toBeGreaterThanOrEqual(3000)
  expect(sizeOf(inBase64('audio/mpeg', 4_000_000))).toBeGreaterThan(5000)
  const inline = { type: 'file', mediaType: 'text/plain', file: { kind: 'url', url: `data:text/plain;base64,${'A'.repeat(40_000)}` } } // prettier-ignore
  expect(sizeOf(inline)).toBeGreaterThan(10_000)
  expect(sizeOf({ ...inline, file: { kind: 'url', url: 'https://a.example/b.txt' } })).toBeLessThan(2000)
})
