import { memoryStore as coreStore } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agent, holdpoint, memoryStore, tool } from '../src/index.ts'

const lookup = tool({
  name: 'lookup',
  description: 'Looks something up.',
  input: { type: 'object' },
  executor: 'external',
  timeout: 30,
})

test('a call that waits in memory expires at its time, by the clock of the host', async () => {
  const model = scriptedModel([{ calls: [{ name: 'lookup' }] }, 'No answer came.'])
  const hp = await holdpoint({ store: memoryStore(), agents: [agent({ name: 'desk', model, tools: [lookup] })] })
  onTestFinished(() => hp.close())
  const before = Date.now()
  await hp.send('c1', 'Look it up')
  // On a busy machine the hold may be over when `send` returns, so it is read from the log.
  const held = (await hp.events('c1')).find((event) => event.type === 'call.held')
  const expiresAt = held?.hold.expiresAt ?? 0
  expect(expiresAt).toBeGreaterThanOrEqual(before)
  expect(expiresAt).toBeLessThan(Date.now() + 60_000)
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(2)
  expect((await hp.pending()).items).toEqual([])
})

test('a store in memory cannot be made without a clock where the host gives none', () => {
  expect(() => coreStore(undefined as never)).toThrow('memoryStore() needs a clock')
  expect(() => coreStore({} as never)).toThrow('memoryStore() needs a clock')
})
