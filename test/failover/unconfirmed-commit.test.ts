/** PostgreSQL keeps a commit whose wait for the standby was ended. It may be lost with the primary. */
import { agent, holdpoint, tool, type Runtime } from 'holdpoint'
import type { Store } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { at, draft } from '../../packages/store-postgres/test/draft.ts'
import { endWait, isWaiting, testPair } from './pair.ts'

for (const how of ['pg_cancel_backend', 'pg_terminate_backend'] as const) {
  test(`an append whose wait for the standby ends by ${how} is unknown, and its repeat is ok only when the standby has it`, async () => {
    const { pair, open } = await testPair('synchronous')
    const store = await open()
    await store.append(draft('c', 0))
    pair.replication.cut()
    const write = draft('c', 1, { key: 'a key' })
    const first = store.append(write)
    await endWait(pair, how)
    expect((await first).result).toBe('unknown')
    expect(await store.heads([at('c')])).toEqual([2])

    const repeats = [store.append(write), store.append(draft('c', 2, { key: 'a key' }))]
    expect(await isWaiting(Promise.any(repeats), pair)).toBe(true)
    pair.replication.to(pair.primary.port)
    expect((await Promise.all(repeats)).map(({ result }) => result)).toEqual(['ok', 'repeated'])
    expect(await pair.standby.sql('select max(seq)::int as seq from holdpoint.batches')).toEqual([{ seq: 2 }])
  })
}

test('a change beside the log whose wait for the standby ends is not reported as done', async () => {
  const { pair, open } = await testPair('synchronous')
  const store = await open()
  pair.replication.cut()
  const put = store.put({ tenant: '', kind: 'k', id: 'one', expected: 0, data: 1 }).catch((error: unknown) => error)
  await endWait(pair, 'pg_cancel_backend')
  expect(await put).toEqual(expect.objectContaining({ code: 'store-unavailable' }))
  pair.replication.to(pair.primary.port)
  expect((await store.put({ tenant: '', kind: 'k', id: 'one', expected: 0, data: 1 })).result).toBe('conflict')
})

test('`duplicate` is only said when the standby has the first answer', async () => {
  const { pair, open } = await testPair('synchronous')
  const [first, second] = [await desk(await open()), await desk(await open())]
  const sent = await first.send('c', 'Pay.')
  const callId = sent.holds[0]?.callId ?? ''
  const by = 'ann'
  pair.replication.cut()
  // The store answers `unknown`, and the runtime repeats the append.
  const answered = first.approve('c', callId, { by })
  await endWait(pair, 'pg_cancel_backend')
  const repeated = second.approve('c', callId, { by })
  expect(await isWaiting(Promise.race([answered, repeated]), pair)).toBe(true)
  pair.replication.to(pair.primary.port)
  expect([(await answered).verdict, (await repeated).verdict]).toEqual(['accepted', 'duplicate'])
})

async function desk(store: Store): Promise<Runtime> {
  const pay = tool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({}),
    approval: { required: true },
    run: () => ({ paid: true }),
  })
  const model = scriptedModel([{ calls: [{ name: 'pay', input: {} }] }, { text: 'Done.' }])
  const runtime = await holdpoint({
    store,
    agents: [agent({ name: 'desk', model, tools: [pay] })],
    onProblem: () => {},
  })
  onTestFinished(() => runtime.close())
  return runtime
}
