/** What was settled for one message or one agent holds in whichever process goes on with the turn. */
import { askUser, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asking, calls, heldId, outcomes, types, World } from '../../../../test/kit/runtime-kit.ts'

test('a message with whileBusy `answer` answers a question that another process asked', async () => {
  const world = new World()
  const paint = tool({ name: 'paint', description: 'x', input: z.object({}), run: () => askUser('Which colour?') })
  const setup = { says: [calls('paint'), 'Red it is.'], tools: [paint] }
  const a = await world.process('a', setup)
  const b = await world.process('b', setup)
  expect(await a.runtime.send('c', 'Paint', { by: 'ada' })).toMatchObject({ status: 'held', reason: 'ask_user' })
  const answer = { whileBusy: 'answer', by: 'ada', key: 'm-2' } as const
  expect(await world.soon(b.runtime.send('c', 'red', answer))).toMatchObject({ status: 'done', text: 'Red it is.' })
  expect(await b.runtime.send('c', 'red', answer)).toMatchObject({ status: 'done', text: 'Red it is.' })
  expect(Object.values(outcomes(await world.log()))).toEqual([{ ok: true, value: 'red' }])
  expect(types(await world.log()).filter((type) => type === 'turn.started')).toHaveLength(1)
})

test('an agent that halts on errors halts when a worker of another process reports one', async () => {
  const world = new World()
  const setup = {
    says: [calls('ship'), 'not said'],
    tools: [asking('ship', 'external')],
    agent: { onToolError: 'halt' },
  } as const
  const a = await world.process('a', setup)
  const b = await world.process('b', { ...setup, drive: false })
  await a.runtime.send('c', 'Ship')
  await b.runtime.fail('c', await heldId(b, 'ship'), 'no van')
  await world.pass(2000)
  expect((await world.log()).at(-1)).toMatchObject({ type: 'turn.ended', reason: 'tool_error', message: 'no van' })
  expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 0])
})
