/** How long a client may be away is written with the hold. A session knows of no clients, so nothing here waits for it. */
import { chat, tool, viewOf } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, idOf, saved } from '../../../../test/kit/session-kit.ts'

const common = { name: 'photo', description: 'Take a photo', input: z.object({}), executor: 'client' } as const
const says = [{ calls: [call('photo')] }, 'Well.']

test('the grace of a client tool is in its hold, in the view of it, and in what is saved', async () => {
  const photo = tool({ ...common, timeout: '1 hour', grace: '5 seconds' })

  const { session, holds } = await chat(desk(says, { tools: [photo] }).agent, 'Smile')

  expect(holds).toMatchObject([{ kind: 'client', timeoutMs: 3_600_000, graceMs: 5000 }])
  expect(JSON.stringify(viewOf(session.events))).toContain('"graceMs":5000')
  expect(JSON.stringify(saved(session))).toContain('"graceMs":5000')
})

test.each([
  ['5 s by default', {}, 5000],
  ['5 s by default, however long the timeout', { timeout: '1 hour' }, 5000],
  ['the timeout where that is shorter', { timeout: '2 seconds' }, undefined],
  ['the timeout where the tool says so', { timeout: '1 hour', grace: '1 hour' }, undefined],
  ['the timeout for an async call, which keeps nothing waiting', { async: true }, undefined],
] as const)('a call waits for an absent client for %s', (_what, settings, graceMs) => {
  expect(tool({ ...common, ...settings }).waiting.graceMs).toBe(graceMs)
})

test('a gated client call has its grace once it waits for the client, and not while it waits for a yes', async () => {
  const photo = tool({ ...common, grace: '5 seconds', approval: 'required' })
  const { session, holds } = await chat(desk(says, { tools: [photo] }).agent, 'Smile')
  expect(holds).toMatchObject([{ kind: 'approval', then: { kind: 'client', graceMs: 5000 } }])
  expect(holds[0]).not.toHaveProperty('graceMs')

  await session.approve(idOf(session, 'photo'))

  expect(session.holds).toMatchObject([{ kind: 'client', graceMs: 5000 }])
})

test('the call outlives its grace until a process gives it up, and the model reads why', async () => {
  const photo = tool({ ...common, timeout: '1 hour', grace: '5 seconds' })
  const { agent, clock } = desk(says, { tools: [photo] })
  const { session } = await chat(agent, 'Smile')
  await clock.advance(60_000)
  expect(await session.continue()).toMatchObject({ status: 'held' })

  const error = 'no client is connected'
  await session.resolve(idOf(session, 'photo'), { kind: 'answer', error })

  const { steps } = await session.continue()
  expect(steps[0]?.calls).toMatchObject([{ outcome: { ok: false, error: { message: error } } }])
})
