import { proves } from '@holdpoint/testing'
import { chat, Session, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  call,
  desk,
  expectSound,
  idOf,
  outcomes,
  saved,
  toldTo,
  types,
  until,
} from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const job = tool({
  name: 'job',
  description,
  input,
  output: z.object({ rows: z.number() }),
  executor: 'external',
  async: true,
  timeout: '1 hour',
})
const started = [{ calls: [call('job')] }, 'It is on its way.', 'It has 7 rows.']
const lastUserText = (requests: ReturnType<typeof desk>['model']['requests']): string =>
  JSON.stringify(requests.at(-1)?.prompt.findLast(({ role }) => role === 'user'))

test('the model reads pending at once and goes on; the answer starts a turn of its own', async () => {
  const { agent, model } = desk(started, { tools: [job] })

  const first = await chat(agent, 'Start the job')
  expect(first).toMatchObject({ status: 'done', text: 'It is on its way.' })
  expect(first.holds).toMatchObject([{ name: 'job', async: true }])
  const { callId } = first.holds[0]!
  expect(toldTo(model)).toEqual({
    job: { ok: true, result: { status: 'pending', toolCallId: callId, pendingToolCallId: callId } },
  })

  expect(await first.session.answer(callId, { rows: 7 })).toMatchObject({ verdict: 'accepted' })
  const second = await first.session.continue()

  expect(second).toMatchObject({ status: 'done', text: 'It has 7 rows.', steps: { length: 1 } })
  expect(model.requests).toHaveLength(3)
  expect(lastUserText(model.requests)).toContain('rows')
  expect(first.session.holds).toEqual([])
  expectSound(first.session, model)
})

test('the answer of an async call is taken in another process, after a restart', async () => {
  const { session } = await chat(desk(started.slice(0, 2), { tools: [job] }).agent, 'Start the job')
  const there = desk(['Seven.'], { tools: [job], process: 'q' })

  const restored = await Session.open(there.agent, saved(session))
  await restored.answer(idOf(restored, 'job'), { rows: 7 })
  const again = await Session.open(there.agent, saved(restored))

  expect(await again.continue()).toMatchObject({ status: 'done', text: 'Seven.' })
})

test('an answer that comes while another turn goes on waits for its end', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const slow = tool({ name: 'slow', description, input, run: () => promise })
  const { agent, model } = desk(
    [{ calls: [call('job')] }, 'On its way.', { calls: [call('slow')] }, 'Slow is done.', 'And the job has 7 rows.'],
    { tools: [job, slow] },
  )
  const { session } = await chat(agent, 'Start the job')
  const other = session.send('Do something slow')
  await until(() => types(session).filter((type) => type === 'call.started').length === 1)

  expect(await session.answer(idOf(session, 'job'), { rows: 7 })).toMatchObject({ verdict: 'accepted' })
  expect(model.requests).toHaveLength(3)
  resolve('done')
  await other

  expect(session.events.filter(({ type }) => type === 'turn.started')).toHaveLength(3)
  expect(lastUserText(model.requests)).toContain('"rows')
  expectSound(session, model)
})

test('an answer that comes before the round is over does not settle the call twice', async () => {
  const person = tool({ name: 'person', description, input, executor: 'human' })
  const { agent, model } = desk([{ calls: [call('job'), call('person')] }, 'Both.', 'Seven rows.'], {
    tools: [job, person],
  })
  const { session, status } = await chat(agent, 'Go')
  expect(status).toBe('held')

  await session.answer(idOf(session, 'job'), { rows: 7 })
  await session.answer(idOf(session, 'person'), 'yes')
  await session.continue()

  expect(model.requests).toHaveLength(3)
  expect(outcomes(session)).toMatchObject({ job: { ok: true, value: { status: 'pending' } } })
  expectSound(session, model)
})

test(proves('hold.resolves-once', 'the verdicts of an async call are those of any other'), async () => {
  const { session } = await chat(desk(started, { tools: [job] }).agent, 'Start the job')
  const callId = idOf(session, 'job')

  expect(await session.answer(callId, 'seven')).toMatchObject({ verdict: 'invalid' })
  expect(await session.approve(callId)).toMatchObject({ verdict: 'wrong-kind' })
  expect(await session.answer(callId, { rows: 7 }, { by: 'worker' })).toMatchObject({ verdict: 'accepted' })
  expect(await session.answer(callId, { rows: 7 })).toMatchObject({ verdict: 'duplicate', first: { by: 'worker' } })
  await session.continue()
  expect(await session.answer(callId, { rows: 8 })).toMatchObject({ verdict: 'conflict' })
})

test('an async call that fails says so in its own turn', async () => {
  const { agent, model } = desk(started, { tools: [job] })
  const { session } = await chat(agent, 'Start the job')

  await session.resolve(idOf(session, 'job'), { kind: 'answer', error: 'the cluster is down' })
  await session.continue()

  expect(lastUserText(model.requests)).toContain('the cluster is down')
})

test('an async call without an answer expires, and the agent is told in a new turn', async () => {
  const strict: typeof job = { ...job, waiting: { ...job.waiting, late: 'reject' } }
  const { agent, model, clock } = desk(started, { tools: [strict] })
  const { session } = await chat(agent, 'Start the job')
  const callId = idOf(session, 'job')

  await clock.advance(3_600_000)
  await session.continue()

  expect(model.requests).toHaveLength(3)
  expect(lastUserText(model.requests)).toContain('No answer in 1 h.')
  expect(await session.answer(callId, { rows: 7 })).toMatchObject({ verdict: 'expired' })
  expectSound(session, model)
})

test('a gated async call is approved first; only then does the model read pending', async () => {
  const gated = tool({ name: 'gated', description, input, executor: 'external', approval: 'required', async: true })
  const { agent, model } = desk([{ calls: [call('gated')] }, 'On its way.', 'Done.'], { tools: [gated] })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'gated')
  expect(model.requests).toHaveLength(1)

  await session.approve(callId)
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'On its way.' })
  expect(toldTo(model)).toEqual({
    gated: { ok: true, result: { status: 'pending', toolCallId: callId, pendingToolCallId: callId } },
  })

  await session.answer(callId, 'finished')
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Done.' })
  expectSound(session, model)
})

test('cancelling the turn of an async call that already went on leaves the call waiting', async () => {
  const person = tool({ name: 'person', description, input, executor: 'human' })
  const { agent } = desk([{ calls: [call('job'), call('person')] }, 'Thanks.'], { tools: [job, person] })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'job')

  await session.cancel()

  expect(session.holds).toMatchObject([{ name: 'job' }])
  expect(await session.answer(callId, { rows: 1 })).toMatchObject({ verdict: 'accepted' })
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Thanks.' })
})

const late = (where: 'reject' | 'inbox') =>
  tool({
    name: 'worker',
    description,
    input,
    output: z.string(),
    executor: 'external',
    timeout: '30 seconds',
    late: where,
  })

test(
  proves('hold.never-accepted-and-dropped', 'a late answer is told expired and dropped, where the tool says reject'),
  async () => {
    const { agent, clock } = desk([{ calls: [call('worker')] }, 'No answer.'], { tools: [late('reject')] })
    const { session } = await chat(agent, 'Go')
    const callId = idOf(session, 'worker')
    await clock.advance(30_000)
    await session.continue()
    const before = session.events.length

    expect(await session.answer(callId, 'sorry')).toMatchObject({ verdict: 'expired' })
    expect(session.events).toHaveLength(before)
  },
)

test(
  proves(
    'hold.never-accepted-and-dropped',
    'call.one-outcome',
    'a late answer reaches the agent as a new turn, where the tool says inbox, once',
  ),
  async () => {
    const { agent, clock, model } = desk([{ calls: [call('worker')] }, 'No answer yet.', 'There it is.'], {
      tools: [late('inbox')],
    })
    const { session } = await chat(agent, 'Go')
    const callId = idOf(session, 'worker')
    await clock.advance(30_000)

    expect(await session.answer(callId, 7)).toMatchObject({ verdict: 'invalid' })
    expect(await session.answer(callId, 'sorry, late')).toMatchObject({
      verdict: 'accepted',
      message: expect.stringContaining('deadline'),
    })
    expect(await session.answer(callId, 'sorry, late')).toMatchObject({ verdict: 'duplicate' })
    expect(await session.answer(callId, 'something else')).toMatchObject({ verdict: 'conflict' })
    await session.continue()

    expect(model.requests).toHaveLength(3)
    expect(outcomes(session)).toMatchObject({ worker: { ok: false, error: { code: 'expired' } } })
    expect(lastUserText(model.requests)).toContain('sorry, late')
    expectSound(session, model)
  },
)

test('a late answer is taken long after, from another process', async () => {
  const { agent, clock } = desk([{ calls: [call('worker')] }, 'No answer.', 'Hello.'], { tools: [late('inbox')] })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'worker')
  await clock.advance(30_000)
  await session.continue()
  await session.send('Hello')
  const there = desk(['So that is it.'], { tools: [late('inbox')], process: 'q', clock })

  const restored = await Session.open(there.agent, saved(session))

  expect(await restored.answer(callId, 'found it')).toMatchObject({ verdict: 'accepted' })
  expect(await restored.continue()).toMatchObject({ status: 'done', text: 'So that is it.' })
  expect(there.model.requests).toHaveLength(1)
})

test('a gated call that was approved and then not carried out in time takes a late answer too', async () => {
  const worker = tool({
    name: 'worker',
    description,
    input,
    executor: 'external',
    approval: 'required',
    timeout: '30 seconds',
    late: 'inbox',
  })
  const { agent, clock, model } = desk([{ calls: [call('worker')] }, 'No answer.', 'There it is.'], { tools: [worker] })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'worker')
  await session.approve(callId)
  await clock.advance(30_000)
  await session.continue()

  expect(await session.reject(callId)).toMatchObject({ verdict: 'conflict' })
  expect(await session.answer(callId, 'late')).toMatchObject({ verdict: 'accepted' })
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'There it is.' })
  expectSound(session, model)
})

test('an async call that expired takes a late answer, where the tool says inbox', async () => {
  const patient = tool({
    name: 'job',
    description,
    input,
    executor: 'external',
    async: true,
    timeout: '1 hour',
    late: 'inbox',
  })
  const { agent, clock, model } = desk([...started, 'There it is.'], { tools: [patient] })
  const { session } = await chat(agent, 'Start the job')
  const callId = idOf(session, 'job')
  await clock.advance(3_600_000)
  await session.continue()

  expect(await session.answer(callId, 'at last')).toMatchObject({ verdict: 'accepted' })
  expect(await session.answer(callId, 'at last')).toMatchObject({ verdict: 'duplicate' })
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'There it is.' })
  expectSound(session, model)
})
