import type { PromptMessage, UserPart } from '@holdpoint/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPromptV4 } from '../src/to-prompt-v4.ts'
import { prompts } from './arbitrary-prompt.ts'
import { user } from './ask.ts'
import { acceptedByAi, acceptedByServers, sentByAi } from './oracle.ts'

const said: PromptMessage = { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] }
const called = (...ids: string[]): PromptMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'call', id, name: 'lookup', input: {} })),
})
const answered = (...ids: string[]): PromptMessage => ({
  role: 'tool',
  results: ids.map((id) => ({ id, name: 'lookup', isError: false, content: null })),
})

describe('a prompt is accepted', () => {
  test.each<[string, PromptMessage[]]>([
    ['when a person asks', [{ role: 'system', text: 'Be brief.' }, user('hi')]],
    ['when every call has its result', [user('hi'), called('a', 'b'), answered('b', 'a')]],
    [
      'when results come in two messages',
      [user('hi'), called('a', 'b'), answered('a'), answered('b'), said, user('ok')],
    ],
    ['when the vendor runs a call whose result is still to come', [user('hi'), byProvider('a'), user('and?')]],
  ])('%s', async (_, prompt) => {
    await expect(acceptedByAi(prompt)).resolves.toBeUndefined()
    expect(() => acceptedByServers(prompt)).not.toThrow()
  })
})

describe('the AI SDK refuses a prompt', () => {
  test.each<[string, PromptMessage[], RegExp]>([
    ['that is empty', [], /must not be empty/],
    ['that ends with an open call', [user('hi'), called('a')], /Tool result is missing for tool call a/],
    [
      'in which a person speaks before a result',
      [user('hi'), called('a', 'b'), answered('a'), user('well?')],
      /missing for tool call b/,
    ],
    ['with a part of the wrong shape', [{ role: 'user', parts: [{ type: 'text' } as UserPart] }], /invalid/i],
    [
      'with data that is not by vendor',
      [user('hi'), { role: 'assistant', parts: [{ type: 'text', text: 'x', data: [1] as never }] }],
      /invalid/i,
    ],
  ])('%s', async (_, prompt, message) => {
    await expect(acceptedByAi(prompt)).rejects.toThrow(message)
  })
})

describe('a server refuses a prompt', () => {
  test.each<[string, PromptMessage[], RegExp]>([
    ['with a result for nothing', [user('hi'), said, answered('a')], /result a has no tool_use/],
    ['with two results for one call', [user('hi'), called('a'), answered('a', 'a')], /result a has no tool_use/],
    ['with a result that comes too late', [user('hi'), called('a'), said, answered('a')], /no tool output found/],
    ['with an open call', [user('hi'), called('a')], /no tool output found for function call a/],
    ['with two calls of one id', [user('hi'), called('a', 'a'), answered('a')], /ids must be unique/],
    ['that the model begins', [said, user('hi')], /first message/],
    ['that the model ends', [user('hi'), said], /must end with a user message/],
    [
      'with instructions in the middle',
      [user('hi'), { role: 'system', text: 'Be brief.' }],
      /only supported at the beginning/,
    ],
  ])('%s', (_, prompt, message) => {
    expect(() => acceptedByServers(prompt)).toThrow(message)
  })
})

test('we send a vendor what the AI SDK would send', async () => {
  await fc.assert(
    fc.asyncProperty(prompts, async (prompt) => {
      acceptedByServers(prompt)
      expect(toPromptV4(prompt)).toEqual(await sentByAi(prompt))
    }),
    { numRuns: 100 },
  )
})

function byProvider(id: string): PromptMessage {
  return { role: 'assistant', parts: [{ type: 'call', id, name: 'search', input: {}, byProvider: true }] }
}
