/** Approval as it is declared: a second question beside who carries the tool out. What the loop does with it is in loop/approval.test.ts. */
import { HoldpointError, toolDefiner, type ApprovalRequest, type ToolContext } from '@holdpoint/core'
import { chat, Session } from '@holdpoint/runtime'
import { proves } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, inTime, outcomes, saved } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const mail = {
  name: 'mail.send',
  description: 'Send a mail',
  input: z.object({ to: z.string().trim().toLowerCase(), copies: z.number().default(1) }),
}
const sending = { calls: [call('mail.send', { to: ' Ada ' })] }
type Mail = ToolContext<{ to: string; copies: number }>

describe('on every executor that can be gated', () => {
  const gateable = [
    ['server', (approval: 'auto' | 'required') => tool({ ...mail, approval, run: () => 'sent' })],
    ['client', (approval: 'auto' | 'required') => tool({ ...mail, approval, executor: 'client' })],
    ['external', (approval: 'auto' | 'required') => tool({ ...mail, approval, executor: 'external' })],
  ] as const

  test.each(gateable)('%s: required means that a person decides first', async (_executor, define) => {
    const { holds, session } = await chat(desk([sending], { tools: [define('required')] }).agent, 'go')
    expect(holds).toMatchObject([
      {
        kind: 'approval',
        name: 'mail.send',
        accepts: ['approve', 'reject'],
        approvers: 1,
        input: { to: 'ada', copies: 1 },
        proposed: { to: ' Ada ' },
      },
    ])
    expect(session.events.some(({ type }) => type === 'call.started')).toBe(false)
  })

  test.each(gateable)('%s: auto means that no approver is asked', async (executor, define) => {
    const { holds } = await chat(desk([sending, 'done'], { tools: [define('auto')] }).agent, 'go')
    expect(holds.map(({ kind }) => kind)).toEqual(executor === 'server' ? [] : [executor])
  })

  test.each(gateable)('%s: a no is the end of the call', async (_executor, define) => {
    const { holds, session } = await chat(desk([sending, 'done'], { tools: [define('required')] }).agent, 'go')
    await session.reject(holds[0]?.callId ?? '', 'not to her')
    expect(await session.continue()).toMatchObject({ status: 'done', holds: [] })
    expect(outcomes(session)).toEqual({
      'mail.send': { ok: false, error: { code: 'rejected', message: 'Rejected: not to her' } },
    })
  })
})

describe('a fixed request', () => {
  test('gives its reason and the number of people who must agree', async () => {
    const made = tool({
      ...mail,
      approval: { required: true, reason: 'It costs money', approvers: 2 },
      approvalTimeout: '1 hour',
      run: () => 'sent',
    })
    const { agent, clock } = desk([sending], { tools: [made] })
    const { holds } = await chat(agent, 'go')
    expect(holds).toMatchObject([
      { reason: 'It costs money', approvers: 2, timeoutMs: 3_600_000, expiresAt: clock.now() + 3_600_000 },
    ])
  })
})

describe('an approval function', () => {
  test('is given what the handler would be: the checked input and the whole context', async () => {
    const contexts: Mail[] = []
    const made = tool({
      ...mail,
      approval: (context) => (contexts.push(context), { required: false }),
      run: (context) => void contexts.push(context),
    })
    await chat(desk([sending, 'done'], { tools: [made] }).agent, 'go', { scope: { user: 'ada' }, requestId: 'r1' })

    const [gate, handler] = contexts
    expect(gate?.input).toEqual({ to: 'ada', copies: 1 })
    // Nothing is cleared yet, and nothing was tried.
    expect(gate?.call).toEqual({ ...handler?.call, attempt: 0, fingerprint: undefined })
    expect(handler?.call.fingerprint).toBe(made.fingerprint)
    for (const key of ['input', 'conversation', 'scope', 'services', 'agent', 'requestId'] as const)
      expect(gate?.[key]).toEqual(handler?.[key])
  })

  test('may take its time, and nothing runs meanwhile', async () => {
    const answer = Promise.withResolvers<ApprovalRequest>()
    const asked = Promise.withResolvers<void>()
    const ran: string[] = []
    const made = tool({
      ...mail,
      approval: () => (asked.resolve(), answer.promise),
      run: ({ input }) => void ran.push(input.to),
    })
    const turn = chat(desk([sending, 'done'], { tools: [made] }).agent, 'go')
    await asked.promise
    expect(ran).toEqual([])
    answer.resolve({ required: false })
    await turn
    expect(ran).toEqual(['ada'])
  })

  test('is asked once: the answer is written with the call and outlives the process and the function', async () => {
    let asked = 0
    const first = tool({
      ...mail,
      approval: () => ({ required: ++asked > 0, reason: 'as it was then' }),
      run: () => 'sent',
    })
    const { session, holds } = await chat(desk([sending], { tools: [first] }).agent, 'go')

    const lenient = tool({ ...mail, approval: 'auto', run: () => 'sent' })
    const reopened = await Session.open(desk(['done'], { tools: [lenient], process: 'q' }).agent, saved(session))
    expect(await reopened.continue()).toMatchObject({ status: 'held', holds: [{ reason: 'as it was then' }] })
    await reopened.approve(holds[0]?.callId ?? '')
    expect(await reopened.continue()).toMatchObject({ status: 'done' })
    expect(asked).toBe(1)
  })

  test('decides for each call of a round on its own', async () => {
    const made = tool({
      ...mail,
      approval: async ({ input: { to } }) => ({ required: to !== 'ada', reason: `${to} is a stranger` }),
      run: ({ input: { to } }) => to,
    })
    const round = {
      calls: [call('mail.send', { to: 'eve' }), call('mail.send', { to: 'ada' }), call('mail.send', { to: 'bob' })],
    }
    const { holds, steps } = await chat(desk([round], { tools: [made] }).agent, 'go')
    expect(holds.map(({ reason }) => reason)).toEqual(['eve is a stranger', 'bob is a stranger'])
    expect(steps[0]?.calls.map(({ outcome }) => outcome?.ok)).toEqual([undefined, true, undefined])
  })

  test.each([
    ['server', { timeout: '5 s', run: () => 'sent' }, 5000],
    ['external', { executor: 'external', timeout: '7 days' }, 30_000],
  ] as const)(
    proves('gate.throwing-means-held', 'that never returns (%s) is left behind, and a person decides'),
    async (_executor, more, ms) => {
      const signals: AbortSignal[] = []
      const approval = ({ signal }: Mail): Promise<ApprovalRequest> => (signals.push(signal), new Promise(() => {}))
      const { agent, clock } = desk([sending], { tools: [tool({ ...mail, ...more, approval } as never)] })
      const turn = chat(agent, 'go')
      const started = clock.now()
      const { holds } = await inTime(clock, turn)
      const reason = `The approval check failed: Tool timed out after ${ms}ms`
      expect(holds).toMatchObject([{ kind: 'approval', reason }])
      expect(clock.now() - started).toBeLessThanOrEqual(ms + 1000)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    },
  )

  test(proves('gate.throwing-means-held', 'that throws one of our own errors is no exception'), async () => {
    const made = tool({
      ...mail,
      executor: 'external',
      approval: () => {
        throw new HoldpointError('service-missing', 'the policy is unknown')
      },
    })
    const { holds } = await chat(desk([sending], { tools: [made] }).agent, 'go')
    expect(holds).toMatchObject([{ kind: 'approval', reason: 'The approval check failed: the policy is unknown' }])
  })
})
