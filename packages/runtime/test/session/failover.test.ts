/** A vendor that cannot be waited for is replaced by the next; never in the middle of a reply. */
import { scriptedModel } from '@holdpoint/testing'
import { ModelError, type Frame, type Model } from 'holdpoint'
import { expect, test } from 'vitest'
import { World, type Setup } from '../../../../test/kit/runtime-kit.ts'

const named = (id: string, model: Model): Model => ({ id, stream: (request) => model.stream(request) })
const down = new ModelError('down', { retryable: false, status: 401 })
const busy = new ModelError('busy', { retryable: true, status: 503 })
const finish = { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } } as const

function setup(models: readonly Model[], more: Setup['agent'] = {}): Setup {
  return { agent: { model: models[0]!, fallback: models.slice(1), retry: { attempts: 2, firstDelayMs: 100 }, ...more } }
}

test('the next model is called when one fails permanently, and the log says which were tried', async () => {
  const world = new World()
  const models = [named('one', scriptedModel([down])), named('two', scriptedModel(['From two.']))]
  const a = await world.process('a', setup(models))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'From two.' })
  const attempts = [{ model: 'one', message: expect.stringContaining('could not answer'), status: 401 }]
  expect((await world.log()).at(-1)).toMatchObject({ type: 'model.replied', attempts })
})

test('a model that may recover is retried first, each within its own time limit, and every subscriber is told', async () => {
  const world = new World()
  const models = [named('one', scriptedModel([busy, busy])), named('two', scriptedModel([busy, 'From two.']))]
  const a = await world.process('a', setup(models))
  const frames: Frame[] = []
  const watching = (async () => {
    for await (const item of a.runtime.subscribe('c')) if (!('seq' in item)) frames.push(item)
  })()
  expect(await world.soon(a.runtime.send('c', 'Hi'))).toMatchObject({ text: 'From two.' })
  await a.runtime.close()
  await watching

  const tried = (await world.log()).at(-1)!
  expect(tried).toMatchObject({ attempts: [{ model: 'one', delayMs: expect.any(Number) }, { model: 'one' }, { model: 'two', delayMs: expect.any(Number) }] }) // prettier-ignore
  expect(frames.flatMap((frame) => (frame.type === 'model-retry' ? [frame.attempt] : []))).toEqual([1, 2, 3])
})

test('when all have failed the turn ends, with everything that was tried; and it can be taken up again', async () => {
  const world = new World()
  const models = [named('one', scriptedModel([down, 'Back.'])), named('two', scriptedModel([down]))]
  const a = await world.process('a', setup(models))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'failed', reason: 'model_failed' })
  expect((await world.log()).at(-1)).toMatchObject({
    type: 'turn.ended',
    attempts: [{ model: 'one' }, { model: 'two' }],
  })
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Back.' })
})

test('after the first word no other model is asked: the reply so far is kept', async () => {
  const world = new World()
  const broken: Model = {
    id: 'broken',
    async *stream() {
      yield { type: 'text', id: 't', delta: 'Half of' }
      throw busy
    },
  }
  const other = scriptedModel([[{ type: 'text', id: 't', delta: 'Other' }, finish]])
  const a = await world.process('a', setup([broken, other]))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ reason: 'interrupted', text: 'Half of' })
  expect(other.requests).toHaveLength(0)
})
