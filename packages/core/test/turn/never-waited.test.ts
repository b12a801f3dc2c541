import { expect, test } from 'vitest'
import { failed } from '../../src/tool/outcome.ts'
import { evolveCall, newCall } from '../../src/turn/call.ts'
import { decideResolve } from '../../src/turn/resolve.ts'

test('an answer to a call that never waited is unknown, though the call was cancelled', () => {
  const call = newCall({ type: 'call', callId: 'c', vendorId: 'v', name: 'print', input: {} }, 2)
  const outcome = failed('cancelled', 'The turn was cancelled.')
  const cancelled = evolveCall(call, { type: 'call.settled', callId: 'c', outcome, seq: 3, at: 0 })

  const { verdict, events } = decideResolve(cancelled, {
    callId: 'c',
    resolution: { kind: 'approve' },
    by: { id: 'ada', kind: 'person' },
    now: 0,
  })

  expect({ verdict, events }).toEqual({ verdict: 'unknown', events: [] })
})
