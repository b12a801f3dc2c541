import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, memoryStore, scriptedModel, storeConformance, testPorts } from '@holdpoint/testing'
import { agent, chat, Session, tool } from 'holdpoint'
import { z } from 'zod'

// The agent under test: it refunds money after an approval.
const refunds = (model: ReturnType<typeof scriptedModel>, ports = testPorts()) => {
  const refund = tool({
    name: 'refund',
    description: 'Give money back',
    input: z.object({ euros: z.number() }),
    approval: 'required',
    approvalTimeout: '1 day',
    run: ({ input, call }) => ({ refunded: input.euros, key: call.id }),
  })
  return agent({ name: 'refunds', model, tools: [refund], ports })
}
const asks = { calls: [{ name: 'refund', input: { euros: 20 } }] }

// #region requests
await test('the model reads that a refund was rejected', async () => {
  const model = scriptedModel([asks, 'Sorry.'])
  const { session, holds } = await chat(refunds(model), 'I want my money back')
  await session.reject(holds[0]?.callId ?? '', 'Too late')
  await session.continue()

  const result = model.requests[1]?.prompt.at(-1) // what the model was sent the second time
  assert.deepEqual(result, {
    role: 'tool',
    results: [
      {
        id: 'call-1',
        name: 'refund',
        isError: true,
        content: { ok: false, error: { code: 'rejected', message: 'Rejected: Too late' } },
      },
    ],
  })
})
// #endregion

// #region clock
await test('a hold that is not answered for a day expires', async () => {
  const ports = testPorts()
  const { session } = await chat(refunds(scriptedModel([asks, 'There was no answer.']), ports), 'I want my money back')
  await ports.clock.advance(24 * 60 * 60 * 1000) // instead of sleeping
  const { text, steps } = await session.continue()

  assert.equal(text, 'There was no answer.')
  assert.deepEqual(steps[0]?.calls[0]?.outcome, { ok: false, error: { code: 'expired', message: 'No answer in 1 d.' } })
})
// #endregion

// #region store
await test('two processes, one conversation: the first answer wins', async () => {
  const store = memoryStore({ now: Date.now })
  const desk = refunds(scriptedModel([asks, 'Done.']))
  const here = await Session.open(desk, { store, id: 'c1' })
  const { holds } = await here.send('I want my money back')
  const there = await Session.open(desk, { store, id: 'c1' })

  const callId = holds[0]?.callId ?? ''
  const verdicts = await Promise.all([here.approve(callId, { by: 'ada' }), there.reject(callId, 'No', { by: 'bob' })])
  assert.deepEqual(verdicts.map(({ verdict }) => verdict).toSorted(), ['accepted', 'conflict'])
})
// #endregion

// #region conformance
for (const { name, run } of storeConformance(async () => {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now }) // your own store, on a new folder or schema
  return { open: async () => store, clock, end: async () => {} }
})) {
  await test(name, run)
}
// #endregion
