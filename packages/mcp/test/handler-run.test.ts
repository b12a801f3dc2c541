import type { ToolContext } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { HandlerRun } from '../src/client/handler-run.ts'

test('a request to a server carries the id of the call, and the trace of its run', () => {
  const of = (call: object): HandlerRun =>
    new HandlerRun({} as never, { name: 'find' } as never, { input: { q: 1 }, call } as unknown as ToolContext)
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  expect(of({ id: 'c1', traceparent }).request).toEqual({
    name: 'find',
    arguments: { q: 1 },
    _meta: { 'holdpoint/callId': 'c1', traceparent },
  })
  expect(of({ id: 'c1' }).request._meta).toEqual({ 'holdpoint/callId': 'c1' })
})
