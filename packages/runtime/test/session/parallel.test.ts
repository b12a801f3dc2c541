import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordingStore, reopen } from './crash.ts'
import { call, desk, expectSound, idOf, outcomes, tick, until } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'

/** A tool that counts how many of its calls run at the same time. */
function counted(approval: 'auto' | 'required' = 'auto'): {
  job: Tool
  at: { now: number; most: number; ran: number }
} {
  const at = { now: 0, most: 0, ran: 0 }
  const job = tool({
    name: 'job',
    description,
    input,
    approval,
    run: async () => {
      at.most = Math.max(at.most, ++at.now)
      at.ran++
      await tick()
      at.now--
    },
  })
  return { job, at }
}
const jobs = (n: number) => [{ calls: Array.from({ length: n }, () => call('job')) }, 'Done.']

test('calls of one reply run at the same time', async () => {
  const both: (() => void)[] = []
  const meet = tool({ name: 'meet', description, input, run: () => new Promise<void>((resolve) => both.push(resolve)) })
  const { agent } = desk([{ calls: [call('meet'), call('meet')] }, 'ok'], { tools: [meet] })
  const done = chat(agent, 'Go')

  await until(() => both.length === 2)
  for (const go of both) go()

  expect(await done).toMatchObject({ status: 'done' })
})

test.each([
  [undefined, 8],
  [1, 1],
  [3, 3],
])('200 calls in one reply, maxParallel %s: at most %i run at once, and all of them do', async (maxParallel, most) => {
  const { job, at } = counted()
  const { agent, model } = desk(jobs(200), { tools: [job], ...(maxParallel !== undefined && { maxParallel }) })

  const { session, status } = await chat(agent, 'Go')

  expect(status).toBe('done')
  expect(at).toEqual({ now: 0, most, ran: 200 })
  expectSound(session, model)
})

test('calls that were approved together keep to the limit too', async () => {
  const { job, at } = counted('required')
  const { agent } = desk(jobs(20), { tools: [job], maxParallel: 3 })
  const { session, holds } = await chat(agent, 'Go')
  for (const { callId } of holds) await session.approve(callId)

  expect(await session.continue()).toMatchObject({ status: 'done' })

  expect(at).toEqual({ now: 0, most: 3, ran: 20 })
})

test('approved calls and others share one limit', async () => {
  const gated = counted('required')
  const free = counted()
  const open = { ...free.job, name: 'open' }
  const { agent } = desk(
    [{ calls: ['job', 'open'].flatMap((name) => Array.from({ length: 6 }, () => call(name))) }, 'Done.'],
    { tools: [gated.job, open], maxParallel: 2 },
  )
  const session = await Session.open(agent)
  const done = session.send('Go')
  await until(() => session.holds.length === 6)
  await Promise.all(session.holds.map(({ callId }) => session.approve(callId)))
  await done
  if (session.status !== 'completed') await session.continue()

  expect(session.status).toBe('completed')
  expect([gated.at.ran, free.at.ran]).toEqual([6, 6])
  expect(gated.at.most + free.at.most).toBeLessThanOrEqual(4)
})

test('calls that were lost with their process keep to the limit when they run again', async () => {
  const { store, prefixes } = recordingStore()
  const first = counted()
  const session = await Session.open(desk(jobs(10), { tools: [first.job], maxParallel: 4 }).agent, { store, id: 'c' })
  await session.send('Go')
  const dead = prefixes.find(({ events }) => events.filter(({ type }) => type === 'call.started').length === 4)!
  const { job, at } = counted()

  const again = await reopen(desk(['Done.'], { tools: [job], maxParallel: 4, process: 'q' }).agent, dead)

  expect(await again.continue()).toMatchObject({ status: 'done' })
  expect(at).toEqual({ now: 0, most: 4, ran: 10 })
})

test('a call approved while a sibling still runs starts at once', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const ran: string[] = []
  const tools = [
    tool({ name: 'slow', description, input, run: () => promise }),
    tool({ name: 'pay', description, input, approval: 'required', run: () => (ran.push('pay'), 'paid') }),
  ]
  const { agent } = desk([{ calls: [call('slow'), call('pay')] }, 'Both.'], { tools })
  const session = await Session.open(agent)
  const done = session.send('Go')
  await until(() => session.holds.length === 1)

  await session.approve(idOf(session, 'pay'))
  await until(() => ran.length === 1)
  expect(outcomes(session)).not.toHaveProperty('slow')
  resolve('slow')

  expect(await done).toMatchObject({ status: 'done', text: 'Both.' })
})

test(proves('round.siblings-unharmed', 'a held call takes no place from the calls that run'), async () => {
  const { job, at } = counted()
  const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })
  const { agent } = desk([{ calls: [call('pay'), call('pay'), call('job'), call('job')] }], {
    tools: [job, pay],
    maxParallel: 2,
  })

  expect(await chat(agent, 'Go')).toMatchObject({ status: 'held', holds: { length: 2 } })
  expect(at).toEqual({ now: 0, most: 2, ran: 2 })
})

test(proves('round.siblings-unharmed', 'one call that fails or hangs does not stop its siblings'), async () => {
  const tools = [
    tool({ name: 'fails', description, input, run: () => Promise.reject(new Error('no')) }),
    tool({ name: 'hangs', description, input, timeout: '1 second', run: () => new Promise<never>(() => {}) }),
    tool({ name: 'works', description, input, run: () => 'fine' }),
  ]
  const { agent, clock } = desk([{ calls: [call('hangs'), call('fails'), call('works')] }, 'ok'], { tools })
  const done = chat(agent, 'Go')
  await until(() => clock.sleeping === 1)
  await clock.advance(1000)

  expect(outcomes((await done).session)).toMatchObject({
    fails: { error: { code: 'failed' } },
    hangs: { error: { code: 'timed-out' } },
    works: { ok: true, value: 'fine' },
  })
})
