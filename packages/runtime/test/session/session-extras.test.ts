import { expect, test } from 'vitest'
import { agent, chat, definePlugin, Session, tool } from 'holdpoint'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { z } from 'zod'
import { call, desk, expectSound, saved } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'A tool'

test('the structured result is what the schema makes of it: its defaults and transforms', async () => {
  const output = z.object({ name: z.string().trim(), tags: z.array(z.string()).default([]) })
  const model = scriptedModel(['{"name": "  Ada "}'])
  const result = await chat(agent({ name: 'desk', model, ports: testPorts() }), 'Who?', { output })
  expect(result.output).toEqual({ name: 'Ada', tags: [] })
  expect(result.text).toBe('{"name": "  Ada "}')
})

test('the newest progress of a running call is there for late subscribers, and is removed with the call', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const reported = Promise.withResolvers<void>()
  const build = tool({
    name: 'build',
    description,
    input,
    streaming: true,
    run: ({ progress }) => {
      progress({ percent: 10 })
      progress({ percent: 60 })
      reported.resolve()
      return promise
    },
  })
  const desk = agent({
    name: 'desk',
    model: scriptedModel([{ calls: [{ name: 'build' }] }, 'Built.']),
    tools: [build],
    ports: testPorts(),
  })
  const session = await Session.open(desk)
  const sent = session.send('Build')
  await reported.promise
  expect([...session.progress.values()]).toEqual([{ percent: 60 }])
  resolve('ok')
  await sent
  expect(session.progress.size).toBe(0)
})

test('a tool that is made for one scope is answered under that scope', async () => {
  const ask = tool({ name: 'ask', description, input, executor: 'human', output: z.string() })
  const plugin = definePlugin({
    id: 'desk',
    prepare: ({ scope, tools }) => void (scope['user'] === 'ann' && tools.push(ask)),
  })
  const model = scriptedModel([{ calls: [{ name: 'ask' }] }, 'Thanks.'])
  const scope = { user: 'ann' }
  const { session, holds } = await chat(agent({ name: 'desk', model, plugins: [plugin], ports: testPorts() }), 'Ask', {
    scope,
  })
  expect(await session.answer(holds[0]!.callId, 'yes')).toMatchObject({ verdict: 'invalid' })
  expect(await session.answer(holds[0]!.callId, 'yes', { scope })).toMatchObject({ verdict: 'accepted' })
})

test('the executor of a call may report that it failed', async () => {
  const scan = tool({ name: 'scan', description, input, executor: 'external', output: z.number() })
  const model = scriptedModel([{ calls: [{ name: 'scan' }] }, 'It failed.'])
  const { session, holds } = await chat(agent({ name: 'desk', model, tools: [scan], ports: testPorts() }), 'Scan')
  expect(await session.fail(holds[0]!.callId, 'out of paper', { by: 'worker-7' })).toMatchObject({
    verdict: 'accepted',
  })
  expect((await session.continue()).steps[0]?.calls[0]?.outcome).toEqual({
    ok: false,
    error: { code: 'failed', message: 'out of paper' },
  })
})

test('a turn that ended badly says why, and is taken up again with a prompt that vendors take', async () => {
  const cut = [{ type: 'text', id: 't', delta: 'Half a' }] as const
  const model = scriptedModel([cut, 'whole.', '7'])
  const { session, ...first } = await chat(agent({ name: 'desk', model, ports: testPorts() }), 'Speak')
  expect(first).toMatchObject({ status: 'failed', reason: 'interrupted', message: 'The reply was cut off.' })

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'whole.' })
  expect(model.requests[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])

  const misfit = await session.send('A name', { output: z.object({ name: z.string() }) })
  expect(misfit).toMatchObject({
    status: 'failed',
    reason: 'output_invalid',
    message: expect.stringContaining('object'),
  })
})

test('a session whose model is shown a window is saved whole, and knows its old calls before and after', async () => {
  const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })
  const options = { tools: [pay], context: { window: { messages: 2 } } }
  const replies = Array.from({ length: 20 }, (_, nth) => `Reply ${nth}.`)
  const session = await Session.open(desk([{ calls: [call('pay')] }, ...replies], options).agent)
  const { callId } = (await session.send('Pay')).holds[0]!
  await session.approve(callId, { by: 'ada' })
  await session.continue()
  for (let nth = 0; nth < 6; nth++) await session.send(`Message ${nth}`)
  const again = { verdict: 'duplicate', first: { by: 'ada' } }

  expect(await session.approve(callId)).toMatchObject(again)
  expectSound(session)
  const restored = await Session.open(desk(replies, { ...options, process: 'q' }).agent, saved(session))
  for (let nth = 0; nth < 6; nth++) await restored.send(`Message ${nth}`)
  expect(await restored.approve(callId)).toMatchObject(again)
  expectSound(restored)
})
