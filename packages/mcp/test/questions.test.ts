/** Approval questions over MCP show everything that will run, or are not asked there. */
import { expect, test } from 'vitest'
import type { ViewHold } from '@holdpoint/core'
import { questionsOf } from '../src/server/questions.ts'

const able = { form: true, url: true, resolves: true }
const definition = { description: 'Gives money back', executor: 'server', input: {} } as const
const hold: ViewHold = {
  kind: 'approval',
  cause: 'tool',
  callId: 'c',
  name: 'refund',
  nth: 1,
  heldAt: 0,
  endorsedBy: [],
  accepts: ['approve', 'reject'],
  proposed: { order: '17' },
  input: { order: '17' },
  inputHash: 'h',
  fingerprint: 'f',
  approvers: 1,
  timeoutMs: 1000,
  expiresAt: 1000,
  onExpire: 'error',
  late: 'reject',
}
const asked = (more: Partial<ViewHold>): readonly unknown[] =>
  questionsOf([{ ...hold, ...more }], able).map(({ request }) => request.params['message'])

test('an approval question contains the address, the method, the server and the description', () => {
  const url = 'https://pay.example/refunds/{order}'
  const server = { name: 'shop', at: 'https://mcp.example' }
  expect(asked({ definition: { ...definition, method: 'POST', url, server } })).toEqual([
    'May "refund" run with {"order":"17"}?\n' +
      'It sends POST https://pay.example/refunds/{order}\n' +
      'It runs on the MCP server "shop" at https://mcp.example\n' +
      'Description of the tool: Gives money back',
  ])
})

test('an approval is not asked if the description does not fit into the question', () => {
  expect(asked({ definition: { ...definition, description: 'x'.repeat(9000) } })).toEqual([])
})

test('an approval of a changed tool is not asked over MCP, which cannot show the difference', () => {
  expect(asked({ definition, definitionBefore: { ...definition, description: 'Gives some money back' } })).toEqual([])
})

test('a caller that may not approve is not asked for an approval', () => {
  expect(questionsOf([hold], { ...able, resolves: false })).toEqual([])
})
