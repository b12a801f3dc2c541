import { proves } from '@holdpoint/testing'
import { chat, Session, stream, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

const ran: string[] = []
const input = z.object({ city: z.string() })
const weather = tool({
  name: 'weather',
  description: 'Weather',
  input,
  run: ({ input: { city } }) => (ran.push(city), { city, degrees: 17 }),
})
const confirm = tool({
  name: 'confirm',
  description: 'Asks for an irreversible thing',
  input: z.object({}),
  output: z.object({ sure: z.boolean() }),
  manual: true,
})
const rome = call('weather', { city: 'Rome' })

test('in manual mode nothing runs: the loop stops with the calls and goes on with submitted results', async () => {
  ran.length = 0
  const { agent, model } = desk([{ calls: [rome, call('weather', { city: 'Oslo' })] }, 'Mild, cold.'], {
    tools: [weather],
    mode: 'manual',
  })

  const stopped = await chat(agent, 'Weather?')
  expect(stopped).toMatchObject({ status: 'held', reason: 'tool_calls' })
  expect(stopped.holds.map(({ name, input: args, kind, cause }) => [name, args, kind, cause])).toEqual([
    ['weather', { city: 'Rome' }, 'external', 'manual'],
    ['weather', { city: 'Oslo' }, 'external', 'manual'],
  ])
  const { session } = stopped
  expect(session.status).toBe('awaiting_tools')

  for (const { callId } of stopped.holds)
    expect(await session.submitToolResult(callId, { degrees: 9 })).toMatchObject({ verdict: 'accepted' })
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Mild, cold.' })

  expect(ran).toEqual([])
  expect(toldTo(model)).toEqual({ weather: { ok: true, result: { degrees: 9 } } })
  expectSound(session, model)
})

test('in manual mode a reply without calls ends the turn as ever', async () => {
  const { agent } = desk(['Just talk.'], { tools: [weather], mode: 'manual' })

  expect(await chat(agent, 'Hello')).toMatchObject({ status: 'done', reason: 'completed', text: 'Just talk.' })
})

test(
  proves('round.model-waits-for-all', 'the model is not asked before every handed-over call has its result'),
  async () => {
    const { agent, model } = desk([{ calls: [rome, call('weather', { city: 'Oslo' })] }, 'ok'], {
      tools: [weather],
      mode: 'manual',
    })
    const { session, holds } = await chat(agent, 'Weather?')

    await session.submitToolResult(holds[1]!.callId, 'cold')
    expect(await session.continue()).toMatchObject({
      status: 'held',
      reason: 'tool_calls',
      holds: [{ callId: holds[0]!.callId }],
    })

    expect(model.requests).toHaveLength(1)
  },
)

test('a manual tool hands over its call alone; the automatic calls of the round ran already', async () => {
  ran.length = 0
  const { agent, model } = desk([{ calls: [rome, call('confirm')] }, 'Confirmed.'], { tools: [weather, confirm] })

  const stopped = await chat(agent, 'Go')
  expect(stopped).toMatchObject({ status: 'held', reason: 'manual_tool_calls', holds: [{ name: 'confirm' }] })
  expect(ran).toEqual(['Rome'])
  expect(outcomes(stopped.session)).toEqual({ weather: { ok: true, value: { city: 'Rome', degrees: 17 } } })

  const { session } = stopped
  expect(await session.submitToolResult(idOf(session, 'confirm'), 'yes')).toMatchObject({ verdict: 'invalid' })
  expect(await session.submitToolResult(idOf(session, 'confirm'), { sure: true })).toMatchObject({
    verdict: 'accepted',
  })
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Confirmed.' })
  expect(ran).toEqual(['Rome'])
  expectSound(session, model)
})

test('handed-over calls survive being saved; the process that restores the session submits the results', async () => {
  const options = { tools: [weather, confirm], mode: 'manual' } as const
  const here = desk([{ calls: [rome] }], options)
  const { session: first } = await chat(here.agent, 'Weather?')
  const there = desk(['Warm.'], { ...options, process: 'q' })

  const session = await Session.open(there.agent, saved(first))
  await session.submitToolResult(idOf(session, 'weather'), 'warm')

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Warm.' })
})

test('a result submitted as an error is told to the model as one', async () => {
  const { agent, model } = desk([{ calls: [rome] }, 'Sorry.'], { tools: [weather], mode: 'manual' })
  const { session } = await chat(agent, 'Weather?')

  await session.resolve(idOf(session, 'weather'), { kind: 'answer', error: 'the station is down' })
  await session.continue()

  expect(toldTo(model)).toEqual({ weather: { ok: false, error: { code: 'failed', message: 'the station is down' } } })
})

test('in manual mode a gated call is approved first and handed over then, and the gate still decides', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    input: z.object({}),
    approval: 'required',
    run: () => ran.push('pay'),
  })
  const { agent } = desk([{ calls: [call('pay')] }, 'ok'], { tools: [pay], mode: 'manual' })
  const { session, reason } = await chat(agent, 'Pay')
  expect(reason).toBe('held')

  expect(await session.submitToolResult(idOf(session, 'pay'), 'paid')).toMatchObject({ verdict: 'wrong-kind' })
  await session.approve(idOf(session, 'pay'))
  expect(await session.continue()).toMatchObject({
    reason: 'tool_calls',
    holds: [{ kind: 'external', cause: 'manual' }],
  })
  await session.submitToolResult(idOf(session, 'pay'), 'paid')

  expect(await session.continue()).toMatchObject({ status: 'done' })
})

test("arguments that do not fit are the model's to mend, and are not handed over", async () => {
  const { agent, model } = desk([{ calls: [call('weather', { city: 7 })] }, 'I see.'], {
    tools: [weather],
    mode: 'manual',
  })

  expect(await chat(agent, 'Weather?')).toMatchObject({ status: 'done' })
  expect(toldTo(model)).toMatchObject({ weather: { ok: false, error: { code: 'invalid-input' } } })
})

test('a stream in manual mode ends with the held calls', async () => {
  const { agent } = desk([{ calls: [rome] }], { tools: [weather], mode: 'manual' })
  const seen: string[] = []
  const live = stream(agent, 'Weather?')

  for await (const { type } of live) seen.push(type)

  expect(seen.slice(-2)).toEqual(['model.replied', 'call.held'])
  expect(await live.result).toMatchObject({ reason: 'tool_calls' })
})
