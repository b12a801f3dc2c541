import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Executor } from 'holdpoint'
import { DEFAULT_TIMEOUTS, type OnExpire } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  call,
  desk,
  expectSound,
  idOf,
  outcomes,
  saved,
  tick,
  toldTo,
  until,
} from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const expired = { ok: false, error: { code: 'expired', message: 'No answer in 30 s.' } }

test('every call that waits has a deadline, a sensible one where its author said nothing', async () => {
  const tools = [
    tool({ name: 'person', description, input, executor: 'human' }),
    tool({ name: 'browser', description, input, executor: 'client' }),
    tool({ name: 'worker', description, input, executor: 'external' }),
    tool({ name: 'gated', description, input, approval: 'required', run: () => 1 }),
  ]
  const { agent, clock } = desk([{ calls: tools.map(({ name }) => call(name)) }], { tools })

  const { holds } = await chat(agent, 'Go')

  const kinds: readonly (Executor | 'approval')[] = ['human', 'client', 'external', 'approval']
  expect(holds.map(({ expiresAt }) => expiresAt - clock.now())).toEqual(kinds.map((kind) => DEFAULT_TIMEOUTS[kind]))
})

test('an unanswered call becomes an error the model reads, in whatever process notices', async () => {
  const worker = tool({ name: 'worker', description, input, executor: 'external', timeout: '30 seconds' })
  const { session, holds } = await chat(desk([{ calls: [call('worker')] }], { tools: [worker] }).agent, 'Go')
  const there = desk(['No worker there.'], { tools: [worker], process: 'q' })
  await there.clock.advance(29_999)
  const restored = await Session.open(there.agent, saved(session))
  expect(await restored.continue()).toMatchObject({ status: 'held' })

  await there.clock.advance(1)
  expect(there.clock.now()).toBe(holds[0]!.expiresAt)

  expect(await restored.continue()).toMatchObject({ status: 'done', text: 'No worker there.' })
  const error = { code: 'expired', message: 'Tool timed out after 30000ms' }
  expect(toldTo(there.model)).toEqual({ worker: { ok: false, error } })
  expectSound(restored, there.model)
})

test.each<[string, OnExpire | undefined, object]>([
  ['an error', undefined, expired],
  ['an error, said so', 'error', expired],
  ['a rejection', 'reject', { ok: false, error: { code: 'rejected', message: 'No answer in 30 s.' } }],
  ['an answer given beforehand', { answer: { amount: 0 } }, { ok: true, value: { amount: 0 } }],
])('silence comes to %s', async (_what, onExpire, outcome) => {
  const person = tool({
    name: 'person',
    description,
    input,
    executor: 'human',
    timeout: 30_000,
    ...(onExpire !== undefined && { onExpire }),
  })
  const { agent, clock } = desk([{ calls: [call('person')] }, 'ok'], { tools: [person] })
  const { session } = await chat(agent, 'Go')

  await clock.advance(30_000)
  expect(await session.continue()).toMatchObject({ status: 'done' })

  expect(outcomes(session)).toEqual({ person: outcome })
})

test('silence may cancel the whole turn, and every open call has a result', async () => {
  const tools = [
    tool({ name: 'person', description, input, executor: 'human', timeout: 30_000, onExpire: 'cancel' }),
    tool({ name: 'gated', description, input, approval: 'required', run: () => 1 }),
  ]
  const { agent, clock, model } = desk([{ calls: [call('person'), call('gated')] }, 'Hello.'], { tools })
  const { session } = await chat(agent, 'Go')
  const gated = idOf(session, 'gated')

  await clock.advance(30_000)

  expect(await session.continue()).toMatchObject({
    status: 'stopped',
    reason: 'expired',
    message: 'No answer in 30 s.',
  })
  expect(outcomes(session)).toMatchObject({ person: expired, gated: { ok: false, error: { code: 'cancelled' } } })
  expect(await session.approve(gated)).toMatchObject({ verdict: 'stale' })
  expect(model.requests).toHaveLength(1)
  expect(await session.send('Hello')).toMatchObject({ status: 'done' })
  expectSound(session, model)
})

test('a preset answer stands in for the executor, never for the approval', async () => {
  const worker = tool({
    name: 'worker',
    description,
    input,
    executor: 'external',
    approval: 'required',
    approvalTimeout: 30_000,
    onExpire: { answer: 'done' },
  })
  const { agent, clock } = desk([{ calls: [call('worker')] }, 'ok'], { tools: [worker] })
  const { session } = await chat(agent, 'Go')

  await clock.advance(30_000)
  await session.continue()

  expect(outcomes(session)).toEqual({ worker: expired })
})

test(
  proves(
    'expiry.first-durable-wins',
    'an answer in the last moment wins, one at the deadline loses, and neither is both',
  ),
  async () => {
    const person = tool({ name: 'person', description, input, executor: 'human', timeout: 30_000 })
    for (const [moment, verdict] of [
      [29_999, 'accepted'],
      [30_000, 'expired'],
    ] as const) {
      const { agent, clock } = desk([{ calls: [call('person')] }, 'ok'], { tools: [person] })
      const { session } = await chat(agent, 'Go')
      const callId = idOf(session, 'person')
      await clock.advance(moment)

      expect(await session.answer(callId, 'here')).toMatchObject({ verdict })
      await clock.advance(60_000)
      await session.expire()
      await session.continue()

      expect(outcomes(session)).toEqual({ person: verdict === 'accepted' ? { ok: true, value: 'here' } : expired })
      expectSound(session)
    }
  },
)

test('a deadline that passes while a sibling runs is recorded by any process that looks', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const tools = [
    tool({ name: 'person', description, input, executor: 'human', timeout: 30_000 }),
    tool({ name: 'slow', description, input, run: () => promise }),
  ]
  const { agent, clock } = desk([{ calls: [call('person'), call('slow')] }, 'ok'], { tools })
  const session = await Session.open(agent)
  const done = session.send('Go')
  await until(() => session.holds.length === 1)

  await clock.advance(30_000)
  await session.expire()
  expect(outcomes(session)).toEqual({ person: expired })
  resolve('slow')

  expect(await done).toMatchObject({ status: 'done' })
})

test('the time for the second hold of a gated call begins with the approval', async () => {
  const worker = tool({
    name: 'worker',
    description,
    input,
    executor: 'external',
    approval: 'required',
    approvalTimeout: '1 day',
    timeout: '30 seconds',
  })
  const { agent, clock } = desk([{ calls: [call('worker')] }, 'ok'], { tools: [worker] })
  const { session } = await chat(agent, 'Go')

  await clock.advance(3_600_000)
  await session.approve(idOf(session, 'worker'))

  expect(session.holds[0]?.expiresAt).toBe(clock.now() + 30_000)
})

test('a call that runs longer than its timeout is stopped, with its signal aborted, and what it says later is dropped', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let aborted = false
  const slow = tool({
    name: 'slow',
    description,
    input,
    timeout: '10 seconds',
    run: ({ signal }) => (signal.addEventListener('abort', () => (aborted = true)), promise),
  })
  const { agent, clock, model } = desk([{ calls: [call('slow')] }, 'Too slow.'], { tools: [slow] })
  const done = chat(agent, 'Go')
  await until(() => clock.sleeping === 1)

  await clock.advance(10_000)

  const { session } = await done
  expect(aborted).toBe(true)
  expect(toldTo(model)).toEqual({
    slow: { ok: false, error: { code: 'timed-out', message: 'Tool timed out after 10000ms' } },
  })
  resolve('at last')
  await tick()
  expectSound(session, model)
})

test('the time that people take is not counted against the time a call may run', async () => {
  const gated = tool({
    name: 'gated',
    description,
    input,
    approval: 'required',
    timeout: '10 seconds',
    run: () => 'ran',
  })
  const { agent, clock } = desk([{ calls: [call('gated')] }, 'ok'], { tools: [gated] })
  const { session } = await chat(agent, 'Go')

  await clock.advance(5 * 86_400_000)
  await session.approve(idOf(session, 'gated'))
  await clock.advance(86_400_000)
  await session.continue()

  expect(outcomes(session)).toEqual({ gated: { ok: true, value: 'ran' } })
})

test('no timer is left behind when calls are done', async () => {
  const quick = tool({ name: 'quick', description, input, run: () => 'quick' })
  const { agent, clock } = desk([{ calls: [call('quick'), call('quick')] }, 'ok'], { tools: [quick] })

  await chat(agent, 'Go')

  expect(clock.sleeping).toBe(0)
})
