import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Agent, type ApprovalRequest, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, idOf, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

const description = 'For a test'
const input = z.object({ to: z.string() })
const ran: string[] = []
const mail = (approval: unknown, more = {}): Tool =>
  tool({
    name: 'mail',
    description,
    input,
    approval: approval as 'required',
    ...more,
    run: ({ input: { to } }) => (ran.push(to), `sent to ${to}`),
  })
const send = { calls: [call('mail', { to: 'ada' })] }

test('approve runs the tool and its result takes the place of pending', async () => {
  ran.length = 0
  const { agent, model } = desk([send, 'Ada knows.'], { tools: [mail('required')] })
  const { session, holds } = await chat(agent, 'Tell Ada')
  expect(holds).toMatchObject([{ name: 'mail', kind: 'approval', input: { to: 'ada' }, proposed: { to: 'ada' } }])
  expect(ran).toEqual([])

  expect(await session.approve(idOf(session, 'mail'), { by: 'grace' })).toEqual({
    verdict: 'accepted',
    message: 'Accepted.',
  })
  expect(ran).toEqual([])
  await session.continue()

  expect(ran).toEqual(['ada'])
  expect(toldTo(model)).toEqual({ mail: { ok: true, result: 'sent to ada' } })
})

test('reject becomes an error the model reads, with the reason', async () => {
  ran.length = 0
  const { agent, model } = desk([send, 'I will not.'], { tools: [mail('required')] })
  const { session } = await chat(agent, 'Tell Ada')

  await session.reject(idOf(session, 'mail'), 'She is on leave')
  await session.continue()

  expect(ran).toEqual([])
  expect(toldTo(model)).toEqual({
    mail: { ok: false, error: { code: 'rejected', message: 'Rejected: She is on leave' } },
  })
})

test('an approval may be true or false, or a function that says so', async () => {
  const twice = { calls: [call('mail', { to: 'ada' }), call('mail', { to: 'eve' })] }
  const heldFor = async (approval: unknown): Promise<readonly unknown[]> => {
    const { agent } = desk([twice, 'Done.'], { tools: [mail(approval)] })
    return (await chat(agent, 'Write')).holds.map((hold) => hold.input)
  }
  expect(await heldFor(true)).toEqual([{ to: 'ada' }, { to: 'eve' }])
  expect(await heldFor(false)).toEqual([])
  expect(await heldFor(({ input: { to } }: { input: { to: string } }) => to !== 'ada')).toEqual([{ to: 'eve' }])
  expect(await heldFor(async () => false)).toEqual([])
  // What is neither is no answer, and a person is asked.
  expect(await heldFor(() => 0)).toHaveLength(2)
})

test('an approval function decides by the checked input, and gives its reason', async () => {
  const gate = ({ input: { to } }: { input: { to: string } }): ApprovalRequest => ({
    required: to !== 'ada',
    reason: `${to} is a stranger`,
  })
  const { agent } = desk([{ calls: [call('mail', { to: 'ada' }), call('mail', { to: 'eve' })] }], {
    tools: [mail(gate)],
  })
  ran.length = 0

  expect((await chat(agent, 'Tell both')).holds).toMatchObject([{ input: { to: 'eve' }, reason: 'eve is a stranger' }])
  expect(ran).toEqual(['ada'])
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no policy server')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no policy server'))],
  [
    'throws nothing',
    () => {
      throw undefined as unknown as Error
    },
  ],
  ['says nothing', () => undefined],
  ['says no with a word', () => 'no'],
  ['says maybe', () => ({ required: 'maybe' })],
  ['wants no approver at all', () => ({ required: true, approvers: 0 })],
  ['wants half a person', () => ({ required: true, approvers: 1.5 })],
  ['wants a number of approvers that is NaN', () => ({ required: true, approvers: Number.NaN })],
  ['misspells a field', () => ({ required: false, aprovers: 2 })],
  ['wants everybody', () => ({ required: true, approvers: Number.POSITIVE_INFINITY })],
  ['gives a reason that is no text', () => ({ required: false, reason: 10n })],
])(
  proves('gate.throwing-means-held', 'an approval function that %s means held, never run, and the hold can be saved'),
  async (_how, gate) => {
    ran.length = 0
    const { agent } = desk([send, 'ok'], { tools: [mail(gate)] })

    const { session, holds } = await chat(agent, 'Tell Ada')

    expect(holds).toMatchObject([{ kind: 'approval', reason: expect.stringContaining('approval check') }])
    expect(ran).toEqual([])
    const restored = await Session.open(agent, saved(session))
    expect(restored.holds).toEqual(session.holds)
  },
)

test('two of three must agree: one alone runs nothing, twice the same is one', async () => {
  ran.length = 0
  const { agent } = desk([send, 'Sent.'], { tools: [mail({ required: true, approvers: 2 })] })
  let { session } = await chat(agent, 'Tell Ada')
  const callId = idOf(session, 'mail')

  expect(await session.approve(callId)).toMatchObject({ verdict: 'invalid' })
  expect(await session.approve(callId, { by: 'ann' })).toMatchObject({ verdict: 'accepted', remaining: 1 })
  expect(await session.approve(callId, { by: 'ann' })).toMatchObject({ verdict: 'duplicate', remaining: 1 })
  session = await Session.open(agent, saved(session))
  expect(session.holds[0]?.endorsedBy).toEqual(['ann'])
  expect(await session.continue()).toMatchObject({ status: 'held' })
  expect(ran).toEqual([])

  expect(await session.approve(callId, { by: 'bob' })).toMatchObject({ verdict: 'accepted', remaining: 0 })
  expect(await session.continue()).toMatchObject({ status: 'done' })
  expect(ran).toEqual(['ada'])
  expect(await session.approve(callId, { by: 'cyd' })).toMatchObject({ verdict: 'duplicate' })
})

test('a yes to a changed input is not shown as a yes to the input that is shown', async () => {
  const { agent } = desk([send, 'Sent.'], { tools: [mail({ required: true, approvers: 2 })] })
  let { session } = await chat(agent, 'Tell Ada')
  const callId = idOf(session, 'mail')

  expect(await session.approve(callId, { by: 'ann', input: { to: 'eve' } })).toMatchObject({ remaining: 1 })
  expect(session.holds[0]).toMatchObject({ input: { to: 'ada' }, endorsedBy: [] })
  expect(await session.approve(callId, { by: 'bob' })).toMatchObject({ remaining: 1 })
  session = await Session.open(agent, saved(session))
  expect(session.holds[0]).toMatchObject({ input: { to: 'ada' }, endorsedBy: ['bob'] })
})

test('one of several approvers is enough to say no', async () => {
  const { agent } = desk([send, 'ok'], { tools: [mail({ required: true, approvers: 3 })] })
  const { session } = await chat(agent, 'Tell Ada')
  const callId = idOf(session, 'mail')
  await session.approve(callId, { by: 'ann' })

  expect(await session.reject(callId, 'no', { by: 'bob' })).toMatchObject({ verdict: 'accepted' })
  expect(await session.approve(callId, { by: 'cyd' })).toMatchObject({ verdict: 'conflict', first: { by: 'bob' } })
})

test('a yes to another input is not a yes to this one', async () => {
  ran.length = 0
  const { agent } = desk([send, 'ok'], { tools: [mail({ required: true, approvers: 2 })] })
  const { session } = await chat(agent, 'Tell Ada')
  const callId = idOf(session, 'mail')

  await session.approve(callId, { by: 'ann' })
  expect(await session.approve(callId, { by: 'bob', input: { to: 'eve' } })).toMatchObject({
    verdict: 'accepted',
    remaining: 1,
  })
  expect(await session.approve(callId, { by: 'ann', input: { to: 'eve' } })).toMatchObject({
    verdict: 'accepted',
    remaining: 0,
  })
  await session.continue()

  expect(ran).toEqual(['eve'])
})

/** The same tool as another release of the program declares it. */
const releases = { description: 'Sends at once', more: {} }

async function approvedThenReleased(agent: Agent, approvers: number, edited?: { to: string }): Promise<Session> {
  const { session } = await chat(agent, 'Tell Ada')
  const approvals = ['ann', 'bob'].slice(0, approvers)
  for (const by of approvals) await session.approve(idOf(session, 'mail'), edited ? { by, input: edited } : { by })
  return session
}

test(
  proves(
    'call.runs-what-was-approved',
    'a tool whose definition changed after the approval is not run: it needs another approval',
  ),
  async () => {
    ran.length = 0
    const old = desk([send], { tools: [mail('required')] })
    const session = await approvedThenReleased(old.agent, 1)
    const changed = desk(['Sent.'], { tools: [mail('required', { description: releases.description })], process: 'q' })

    const restored = await Session.open(changed.agent, saved(session))
    expect(await restored.continue()).toMatchObject({
      status: 'held',
      holds: [{ kind: 'approval', cause: 'changed', input: { to: 'ada' } }],
    })
    expect(ran).toEqual([])

    expect(await restored.approve(idOf(restored, 'mail'))).toMatchObject({ verdict: 'accepted' })
    expect(await restored.continue()).toMatchObject({ status: 'done' })
    expect(ran).toEqual(['ada'])
  },
)

test('a hold says what the tool is; held again after a change, it says what the tool was when it was approved', async () => {
  const old = desk([send], { tools: [mail('required')] })
  const { session, holds } = await chat(old.agent, 'Tell Ada')
  const schema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
  const was = { description, executor: 'server', input: schema }
  expect(holds).toMatchObject([{ definition: was }])
  expect(holds[0]).not.toHaveProperty('definitionBefore')
  await session.approve(idOf(session, 'mail'))

  const more = { description: releases.description, output: z.string() }
  const changed = desk(['Sent.'], { tools: [mail('required', more)], process: 'q' })
  const restored = await Session.open(changed.agent, saved(session))
  const [again] = (await restored.continue()).holds
  const output = { type: 'string' }
  expect(again).toMatchObject({
    cause: 'changed',
    definition: { ...was, description: releases.description, output },
    definitionBefore: was,
  })
  expect(again?.definitionBefore).not.toHaveProperty('output')

  await restored.approve(idOf(restored, 'mail'), { hold: 2 })
  const third = desk(['Sent.'], { tools: [mail('required')], process: 'r' })
  const reopened = await Session.open(third.agent, saved(restored))
  expect((await reopened.continue()).holds).toMatchObject([
    { cause: 'changed', definition: was, definitionBefore: { description: releases.description, output } },
  ])
})

test('a schema that is too long for every hold is said by its hash, so that a change of it is seen', async () => {
  const wide = (last: string): Tool => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, z.string().optional()]))
    return mail('required', { input: z.object({ to: z.string(), ...fields, [last]: z.string().optional() }) })
  }
  const [one, two] = ['a', 'b'].map((last) => wide(last).definition.input)
  expect(one).toMatch(/^A schema of \d+ characters, SHA-256 [0-9a-f]{64}$/)
  expect(one).not.toBe(two)
})

test('the hold after a yes, for the executor of the call, does not repeat the definition', async () => {
  const made = tool({ name: 'mail', description, input, executor: 'external', approval: 'required' })
  const { session, holds } = await chat(desk([send], { tools: [made] }).agent, 'Tell Ada')
  expect(holds).toMatchObject([{ kind: 'approval', definition: { executor: 'external' } }])
  await session.approve(idOf(session, 'mail'))
  expect(session.holds).toMatchObject([{ kind: 'external' }])
  expect(session.holds[0]).not.toHaveProperty('definition')
})

test('a changed tool needs as many approvers as it says', async () => {
  const quorum = { required: true, approvers: 2 }
  const old = desk([send], { tools: [mail(quorum)] })
  const session = await approvedThenReleased(old.agent, 2)
  const changed = desk(['Sent.'], { tools: [mail(quorum, { description: releases.description })], process: 'q' })

  const restored = await Session.open(changed.agent, saved(session))

  expect(await restored.continue()).toMatchObject({ holds: [{ cause: 'changed', approvers: 2 }] })
})

test('what was edited stays edited when the changed tool is approved again', async () => {
  ran.length = 0
  const old = desk([send], { tools: [mail('required')] })
  const session = await approvedThenReleased(old.agent, 1, { to: 'grace' })
  const changed = desk(['Sent.'], { tools: [mail('required', { description: releases.description })], process: 'q' })
  const restored = await Session.open(changed.agent, saved(session))
  expect(await restored.continue()).toMatchObject({ holds: [{ cause: 'changed', input: { to: 'grace' } }] })

  await restored.approve(idOf(restored, 'mail'))
  await restored.continue()

  expect(ran).toEqual(['grace'])
  expect(outcomes(restored)).toEqual({ mail: { ok: true, value: 'sent to grace' } })
})

test('a tool that is gone when its approval comes is an error the model reads', async () => {
  const { session } = await chat(desk([send], { tools: [mail('required')] }).agent, 'Tell Ada')
  await session.approve(idOf(session, 'mail'))
  const without = desk(['Pity.'], { process: 'q' })

  const restored = await Session.open(without.agent, saved(session))

  expect(await restored.continue()).toMatchObject({ status: 'done' })
  expect(toldTo(without.model)).toMatchObject({ mail: { ok: false, error: { code: 'unknown-tool' } } })
})

test('an unclear answer of an approval function is held for the approvers that it names, and the operator is told', async () => {
  const named = { approvers: 2, to: ['group:finance'], notRequester: true }
  for (const [answer, expected] of [
    [{ approvers: 2 }, { approvers: 2 }],
    [{ required: true, approvers: { anyOf: ['group:finance'], count: 2 }, reazon: 'Much' }, named],
  ] as const) {
    const problems: unknown[] = []
    const { agent } = desk([send, 'ok'], { tools: [mail(() => answer as never)] })
    const { session } = await chat(agent, 'Tell Ada', { by: 'eve', onProblem: (error) => problems.push(error) })
    const [held] = session.events.filter(({ type }) => type === 'call.held')
    expect(held).toMatchObject({
      hold: { kind: 'approval', ...expected, reason: 'The approval check gave no clear answer.' },
    })
    expect(problems).toMatchObject([{ code: 'tool-invalid' }])
  }
})
