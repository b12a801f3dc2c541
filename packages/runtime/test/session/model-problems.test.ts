/** What a vendor says when it fails is for the operator. The log, the frames and the result say nothing of it. */
import { chat, HoldpointError, ModelError, type Model, type StreamItem } from 'holdpoint'
import { expect, test } from 'vitest'
import { scriptedModel } from '@holdpoint/testing'
import { World } from '../../../../test/kit/runtime-kit.ts'
import { desk } from '../../../../test/kit/session-kit.ts'

const SECRETS = /sk-live|api\.vendor\.test|overloaded_error|hunter2/
const vendor = Object.assign(new Error('Incorrect API key sk-live-123 for https://api.vendor.test/v1'), {
  requestBodyValues: { prompt: 'hunter2' },
})
const failures = {
  401: new ModelError(vendor.message, { retryable: false, status: 401, cause: vendor }),
  429: new ModelError('overloaded_error: slow down, sk-live-123', { retryable: true, status: 429, cause: vendor }),
  500: new ModelError('https://api.vendor.test/v1 answered 500', { retryable: true, status: 500, cause: vendor }),
}

test.each([401, 429, 500] as const)(
  'a model that answers %i is a problem with its cause for the operator, and words without it for everyone else',
  async (status) => {
    const world = new World()
    const error = failures[status]
    const retry = { attempts: 2, firstDelayMs: 1 }
    const a = await world.process('a', { agent: { model: scriptedModel([error, error]), retry } })
    const frames: StreamItem[] = []
    const watching = (async () => {
      for await (const item of a.runtime.subscribe('c')) frames.push(item)
    })()
    const result = await world.soon(a.runtime.send('c', 'Hi'))
    await a.runtime.close()
    await watching

    expect(a.problems).toHaveLength(error.retryable ? 2 : 1)
    for (const problem of a.problems) {
      expect(problem).toMatchObject({ conversation: { id: 'c' }, error: { code: 'model-failed', cause: error } })
      expect((problem.error as Error).message).toContain(`(${status}): ${error.message}`)
    }
    expect(result).toMatchObject({ status: 'failed', reason: 'model_failed' })
    expect(result.message).toMatch(error.retryable ? /Try again later/ : /operator/)
    const shown = JSON.stringify([result, frames, await world.log(), await a.runtime.view('c').catch(() => undefined)])
    expect(shown).not.toMatch(SECRETS)
  },
)

test('a model that breaks off in the middle is a problem too, and the reply does not quote it', async () => {
  const world = new World()
  const model: Model = {
    id: 'broken',
    async *stream() {
      yield { type: 'text', id: 't', delta: 'Half of' }
      throw failures[500]
    },
  }
  const a = await world.process('a', { agent: { model } })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ reason: 'interrupted', text: 'Half of' })
  expect(a.problems).toMatchObject([{ error: { code: 'model-failed', cause: failures[500] } }])
  expect(JSON.stringify(await world.log())).not.toMatch(SECRETS)
})

test('a session tells its caller of the cause, or the host where the caller does not ask', async () => {
  const asked: unknown[] = []
  const told: unknown[] = []
  const run = (onProblem?: (error: unknown) => void) => {
    const { agent } = desk([failures[401]])
    return chat({ ...agent, ports: { ...agent.ports, problem: (error) => void told.push(error) } }, 'Hi', {
      ...(onProblem && { onProblem }),
    })
  }
  expect((await run((error) => asked.push(error))).message).not.toMatch(SECRETS)
  expect(asked).toEqual([expect.any(HoldpointError)])
  expect(asked).toMatchObject([{ cause: failures[401] }])
  expect(told).toEqual([])
  await run()
  expect(told).toMatchObject([{ code: 'model-failed', cause: failures[401] }])
})

test('what is told of a problem and throws changes nothing', async () => {
  const { agent } = desk([failures[401]])
  const onProblem = (): never => {
    throw new Error('the log is full')
  }
  expect(await chat(agent, 'Hi', { onProblem })).toMatchObject({ status: 'failed', reason: 'model_failed' })
})
