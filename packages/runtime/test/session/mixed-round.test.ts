import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type ResolveResult } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, toldTo, types } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const ran: string[] = []
const tools = [
  tool({ name: 'now', description, input, run: () => (ran.push('now'), 'at once') }),
  tool({ name: 'gated', description, input, approval: 'required', run: () => (ran.push('gated'), 'approved and run') }),
  tool({ name: 'person', description, input, executor: 'human' }),
  tool({ name: 'browser', description, input, executor: 'client' }),
  tool({ name: 'worker', description, input, executor: 'external', approval: 'required' }),
]
const names = tools.map(({ name }) => name)
const everything = { calls: names.map((name) => call(name)) }

/** How each held call of the round is answered; the worker's call is held twice. */
const answers: Readonly<Record<string, (session: Session) => Promise<ResolveResult>>> = {
  gated: (session) => session.approve(idOf(session, 'gated')),
  person: (session) => session.answer(idOf(session, 'person'), 'said'),
  browser: (session) => session.answer(idOf(session, 'browser'), 'shown'),
  worker: (session) => session.approve(idOf(session, 'worker')),
  workerAgain: (session) => session.answer(idOf(session, 'worker'), 'done'),
}

test('in a mixed round our own calls run at once and the others wait, each in its way', async () => {
  ran.length = 0
  const { agent, model } = desk([everything], { tools })

  const { holds, status, session } = await chat(agent, 'Go')

  expect(status).toBe('held')
  expect(ran).toEqual(['now'])
  expect(holds.map(({ name, kind, accepts }) => [name, kind, accepts])).toEqual([
    ['gated', 'approval', ['approve', 'reject']],
    ['person', 'elicitation', ['answer', 'reject']],
    ['browser', 'client', ['answer']],
    ['worker', 'approval', ['approve', 'reject']],
  ])
  expectSound(session, model)
})

const order = fc
  .shuffledSubarray(['gated', 'person', 'browser', 'worker', 'workerAgain'], { minLength: 5 })
  .filter((all) => all.indexOf('worker') < all.indexOf('workerAgain'))

test(
  proves(
    'round.model-waits-for-all',
    'prompt.every-call-has-result',
    'call.one-outcome',
    'whatever the order of the answers, and wherever the session is saved between them, the model is asked when the last one is in',
  ),
  async () => {
    let exercised = 0
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.array(fc.constantFrom('continue', 'restore', 'both', 'neither'), { minLength: 5, maxLength: 5 }),
        async (sequence, between) => {
          ran.length = 0
          const { agent, model } = desk([everything, 'All done.'], { tools })
          let { session } = await chat(agent, 'Go')
          for (const [index, name] of sequence.entries()) {
            expect(model.requests).toHaveLength(1)
            expect(await answers[name]!(session)).toMatchObject({ verdict: 'accepted' })
            if (index === 4) break
            const how = between[index]!
            if (how === 'continue' || how === 'both') expect(await session.continue()).toMatchObject({ status: 'held' })
            if (how === 'restore' || how === 'both') session = await Session.open(agent, saved(session))
          }
          expect(await session.continue()).toMatchObject({ status: 'done', text: 'All done.' })
          expect(model.requests).toHaveLength(2)
          expect(toldTo(model)).toEqual({
            now: { ok: true, result: 'at once' },
            gated: { ok: true, result: 'approved and run' },
            person: { ok: true, result: 'said' },
            browser: { ok: true, result: 'shown' },
            worker: { ok: true, result: 'done' },
          })
          expect(ran.toSorted()).toEqual(['gated', 'now'])
          expectSound(session, model)
          exercised++
        },
      ),
      { numRuns: 60 },
    )
    expect(exercised).toBe(60)
  },
)

test(
  proves('round.siblings-unharmed', 'one rejection, one error and one silence harm none of their siblings'),
  async () => {
    const { agent, model, clock } = desk([everything, 'So be it.'], { tools })
    const { session } = await chat(agent, 'Go')

    await session.reject(idOf(session, 'gated'), 'not now')
    await session.resolve(idOf(session, 'browser'), { kind: 'answer', error: 'no window' })
    await session.approve(idOf(session, 'worker'))
    await clock.advance(30_000)
    await session.answer(idOf(session, 'person'), 'said')
    await session.continue()

    expect(toldTo(model)).toEqual({
      now: { ok: true, result: 'at once' },
      gated: { ok: false, error: { code: 'rejected', message: 'Rejected: not now' } },
      person: { ok: true, result: 'said' },
      browser: { ok: false, error: { code: 'failed', message: 'no window' } },
      worker: { ok: false, error: { code: 'expired', message: 'Tool timed out after 30000ms' } },
    })
    expectSound(session, model)
  },
)

test(
  proves(
    'call.held-never-starts',
    'a held call has no start in the log before its approval, and a client call never has one',
  ),
  async () => {
    const { agent } = desk([everything, 'ok'], { tools })
    const { session } = await chat(agent, 'Go')
    expect(types(session).filter((type) => type === 'call.started')).toHaveLength(1)

    for (const answer of Object.values(answers)) await answer(session)
    await session.continue()

    const gated = session.events
      .filter((event) => 'callId' in event && event.callId.endsWith('.2'))
      .map(({ type }) => type)
    expect(gated).toEqual(['call.held', 'call.approved', 'call.started', 'call.settled'])
    expect(types(session).filter((type) => type === 'call.started')).toHaveLength(2)
  },
)

test.each(['client', 'external'] as const)(
  proves(
    'hold.gated-call-waits-twice',
    'output.untrusted-is-checked',
    'a gated %s call is held twice, also when it is saved between the two',
  ),
  async (executor) => {
    const remote = tool({
      name: 'remote',
      description,
      input: z.object({ n: z.number() }),
      output: z.string(),
      executor,
      approval: { required: true, reason: 'It costs.' },
      timeout: '5 minutes',
    })
    const here = desk([{ calls: [call('remote', { n: 1 })] }], { tools: [remote] })
    const first = await chat(here.agent, 'Go')
    expect(first.holds).toMatchObject([
      { kind: 'approval', reason: 'It costs.', accepts: ['approve', 'reject'], input: { n: 1 } },
    ])
    const { callId } = first.holds[0]!
    expect(await first.session.answer(callId, 'too early')).toMatchObject({ verdict: 'wrong-kind' })

    expect(await first.session.approve(callId, { by: 'ada' })).toMatchObject({ verdict: 'accepted' })
    const there = desk(['Thanks.'], { tools: [remote], process: 'q', clock: here.clock })
    const session = await Session.open(there.agent, saved(first.session))
    expect(session.holds).toMatchObject([
      { callId, kind: executor, accepts: ['answer'], input: { n: 1 }, expiresAt: here.clock.now() + 300_000 },
    ])
    expect(session.holds[0]).not.toHaveProperty('reason')
    expect(await session.approve(callId)).toMatchObject({
      verdict: 'duplicate',
      first: { by: 'ada', hold: 'approval' },
    })
    expect(await session.reject(callId)).toMatchObject({ verdict: 'conflict' })

    expect(await session.answer(callId, 7)).toMatchObject({ verdict: 'invalid' })
    expect(await session.answer(callId, 'done', { by: 'worker-1' })).toMatchObject({ verdict: 'accepted' })
    expect(await session.continue()).toMatchObject({ status: 'done', text: 'Thanks.' })
    expect(await session.answer(callId, 'done')).toMatchObject({
      verdict: 'duplicate',
      first: { by: 'worker-1', hold: executor },
    })
    expect(outcomes(session)).toEqual({ remote: { ok: true, value: 'done' } })
  },
)

test('a rejected client call is not held a second time', async () => {
  const { agent } = desk([{ calls: [call('worker')] }, 'Fine.'], { tools })
  const { session } = await chat(agent, 'Go')

  await session.reject(idOf(session, 'worker'), 'too dear')

  expect(session.holds).toEqual([])
  expect(await session.continue()).toMatchObject({ status: 'done' })
})
