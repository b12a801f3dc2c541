import { chat, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound } from '../../../../test/kit/session-kit.ts'

const again = tool({ name: 'again', description: 'Again', input: z.object({}), run: () => 'and again' })
const forever = Array.from({ length: 30 }, () => ({ text: 'More.', calls: [call('again')] }))

test('a turn takes 8 steps at most by default', async () => {
  const { agent, model } = desk(forever, { tools: [again] })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'stopped', reason: 'max_steps', text: 'More.' })
  expect(result.message).toContain('8')
  expect(result.steps).toHaveLength(8)
  expect(result.steps.every(({ calls }) => calls[0]?.outcome?.ok)).toBe(true)
  expect(model.requests).toHaveLength(8)
  expectSound(result.session, model)
})

test('the agent says how many steps a turn may take, and a message may say otherwise', async () => {
  const { agent, model } = desk(forever, { tools: [again], maxSteps: 3 })

  expect(await chat(agent, 'Go')).toMatchObject({ reason: 'max_steps', steps: { length: 3 } })
  expect(await chat(agent, 'Go', { maxSteps: 1 })).toMatchObject({ reason: 'max_steps', steps: { length: 1 } })
  expect(model.requests).toHaveLength(4)
})

test('a turn that ended normally at its last step is complete', async () => {
  const { agent } = desk([{ calls: [call('again')] }, 'Done.'], { tools: [again], maxSteps: 2 })

  expect(await chat(agent, 'Go')).toMatchObject({ status: 'done', reason: 'completed' })
})

test('a turn stopped by its limit can be taken up again, with a new count', async () => {
  const { agent, model } = desk([...forever.slice(0, 2), 'Done.'], { tools: [again], maxSteps: 2 })
  const { session } = await chat(agent, 'Go')

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Done.', steps: { length: 1 } })
  expectSound(session, model)
})

test('the token budget of a turn ends it before the next model call', async () => {
  const { agent, model } = desk(forever, { tools: [again], maxTokens: 40 })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'stopped', reason: 'budget', usage: { inputTokens: 30, outputTokens: 15 } })
  expect(result.message).toContain('45')
  expect(model.requests).toHaveLength(3)
})

test('each turn has a budget of its own', async () => {
  const { agent } = desk(['One.', 'Two.', 'Three.'], { maxTokens: 20 })
  const { session } = await chat(agent, '1')

  expect(await session.send('2')).toMatchObject({ status: 'done' })
  expect(await session.send('3')).toMatchObject({ status: 'done' })
})

test('a stop condition is asked before every model call but the first', async () => {
  const asked: [number, number, number][] = []
  const { agent, model } = desk(forever, {
    tools: [again],
    stopWhen: async ({ step, tokens, events }) => {
      asked.push([step, tokens, events.length])
      return step > 3
    },
  })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'stopped', reason: 'stop_condition', steps: { length: 3 } })
  expect(asked.map(([step, tokens]) => [step, tokens])).toEqual([
    [2, 15],
    [3, 30],
    [4, 45],
  ])
  expect(model.requests).toHaveLength(3)
  expectSound(result.session, model)
})

test('the limits of a turn are those it began with, wherever it is continued', async () => {
  const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' })
  const { agent } = desk([{ calls: [call('pay')] }, { calls: [call('again')] }, 'never'], { tools: [pay, again] })
  const { session, holds } = await chat(agent, 'Go', { maxSteps: 2 })

  await session.approve(holds[0]!.callId)

  expect(await session.continue()).toMatchObject({ reason: 'max_steps', steps: { length: 2 } })
})
