import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type LogEvent } from 'holdpoint'
import { canonical, type Json } from '@holdpoint/core'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, inTime, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

const description = 'For a test'
const seen: unknown[] = []
const input = z.object({ to: z.string().trim(), copies: z.number().default(1) })
const print = tool({
  name: 'print',
  description,
  input,
  approval: 'required',
  run: ({ input: given, call: { args } }) => (seen.push({ given, args }), 'printed'),
})
const scripts = [{ calls: [call('print', { to: ' desk ' })] }, 'Done.']
const hashOf = (value: Json): string => createHash('sha256').update(canonical(value)).digest('hex')
const approvedIn = (events: readonly LogEvent[]) => events.find((event) => event.type === 'call.approved')

test(
  proves(
    'call.runs-what-was-approved',
    'approve with edited input: it is checked, it runs, and proposed, approved and effective input are all kept',
  ),
  async () => {
    seen.length = 0
    const { agent, model } = desk(scripts, { tools: [print] })
    const { session, holds } = await chat(agent, 'Print')
    expect(holds[0]).toMatchObject({
      proposed: { to: ' desk ' },
      input: { to: 'desk', copies: 1 },
      inputHash: hashOf({ to: 'desk', copies: 1 }),
    })

    expect(
      await session.approve(idOf(session, 'print'), { by: 'ada', input: { to: ' hall ', copies: 3 } }),
    ).toMatchObject({ verdict: 'accepted' })
    await session.continue()

    expect(seen).toEqual([{ given: { to: 'hall', copies: 3 }, args: { to: ' desk ' } }])
    expect(approvedIn(session.events)).toMatchObject({
      by: 'ada',
      resolution: { kind: 'approve', input: { to: ' hall ', copies: 3 } },
      inputHash: hashOf({ to: 'hall', copies: 3 }),
    })
    expect(session.events.find((event) => event.type === 'model.replied')).toMatchObject({
      reply: { parts: [{ input: { to: ' desk ' } }] },
    })
    expect(toldTo(model)).toEqual({
      print: { ok: true, result: 'printed', inputWasEditedTo: { to: ' hall ', copies: 3 } },
    })
    expectSound(session, model)
  },
)

test.each([
  ['of the wrong type', { to: 7 }],
  ['that is no object', 'hall'],
  ['that is null', null],
  ['that is no JSON', { to: 'x', copies: 10n }],
])('an edited input %s is refused, and the call stays held', async (_what, edited) => {
  seen.length = 0
  const { agent } = desk(scripts, { tools: [print] })
  const { session } = await chat(agent, 'Print')
  const before = session.events.length

  expect(await session.approve(idOf(session, 'print'), { input: edited as never })).toMatchObject({
    verdict: 'invalid',
    message: expect.stringContaining('edited input'),
  })

  expect(session.events).toHaveLength(before)
  expect(session.holds).toHaveLength(1)
  expect(await session.continue()).toMatchObject({ status: 'held' })
  expect(seen).toEqual([])
})

test('the edit is kept through a restart between the yes and the run', async () => {
  seen.length = 0
  const { session } = await chat(desk(scripts, { tools: [print] }).agent, 'Print')
  await session.approve(idOf(session, 'print'), { input: { to: 'hall', copies: 2 } })

  const restored = await Session.open(desk(['Done.'], { tools: [print], process: 'q' }).agent, saved(session))
  await restored.continue()

  expect(seen).toMatchObject([{ given: { to: 'hall', copies: 2 } }])
})

test('an edit that changes nothing is a plain yes, and saying it twice is a duplicate', async () => {
  const { agent, model } = desk(scripts, { tools: [print] })
  const { session } = await chat(agent, 'Print')
  const callId = idOf(session, 'print')
  const same = { input: { to: 'desk', copies: 1 } }

  expect(await session.approve(callId, same)).toMatchObject({ verdict: 'accepted' })
  expect(await session.approve(callId, same)).toMatchObject({ verdict: 'duplicate' })
  expect(await session.approve(callId)).toMatchObject({ verdict: 'duplicate' })
  expect(await session.approve(callId, { input: { to: 'hall' } })).toMatchObject({ verdict: 'conflict' })
  await session.continue()

  expect(toldTo(model)).toEqual({ print: { ok: true, result: 'printed' } })
})

test('the same edit twice is a duplicate, another edit a conflict, and a plain yes a conflict too', async () => {
  const { session } = await chat(desk(scripts, { tools: [print] }).agent, 'Print')
  const callId = idOf(session, 'print')
  await session.approve(callId, { input: { to: 'hall', copies: 2 } })

  expect(await session.approve(callId, { input: { copies: 2, to: 'hall' } })).toMatchObject({ verdict: 'duplicate' })
  expect(await session.approve(callId, { input: { to: 'hall', copies: 3 } })).toMatchObject({ verdict: 'conflict' })
  expect(await session.approve(callId)).toMatchObject({ verdict: 'conflict' })
})

test.each(['client', 'external'] as const)(
  proves('call.runs-what-was-approved', 'the executor of a gated %s call is given exactly the input that was approved'),
  async (executor) => {
    const remote = tool({ name: 'remote', description, input, executor, approval: 'required' })
    const { agent } = desk([{ calls: [call('remote', { to: ' desk ' })] }], { tools: [remote] })
    const plain = (await chat(agent, 'Go')).session
    await plain.approve(idOf(plain, 'remote'))
    expect(plain.holds[0]).toMatchObject({
      kind: executor,
      input: { to: 'desk', copies: 1 },
      inputHash: hashOf({ to: 'desk', copies: 1 }),
    })

    const edited = (await chat(desk([{ calls: [call('remote', { to: ' desk ' })] }], { tools: [remote] }).agent, 'Go'))
      .session
    await edited.approve(idOf(edited, 'remote'), { input: { to: ' hall ' } })

    expect(edited.holds[0]).toMatchObject({
      kind: executor,
      input: { to: 'hall', copies: 1 },
      inputHash: hashOf({ to: 'hall', copies: 1 }),
      proposed: { to: ' desk ' },
    })
  },
)

test(
  proves(
    'call.runs-what-was-approved',
    'a schema that makes something else of the input after the yes lets nothing run',
  ),
  async () => {
    let n = 0
    let runs = 0
    const dice = tool({
      name: 'dice',
      description,
      input: z.object({ roll: z.number().default(() => ++n) }),
      approval: 'required',
      run: () => ++runs,
    })
    const { agent, model } = desk([{ calls: [call('dice')] }, 'Odd.'], { tools: [dice] })
    const { session } = await chat(agent, 'Roll')

    await session.approve(idOf(session, 'dice'))
    await session.continue()

    expect(runs).toBe(0)
    expect(toldTo(model)).toMatchObject({ dice: { ok: false, error: { code: 'not-what-was-approved' } } })
  },
)

test('input approved under a stricter schema later no longer fits, and is not run', async () => {
  let runs = 0
  const strict = { on: false }
  const schema = z.object({ n: z.number() }).refine(() => !strict.on, 'not any more')
  const once = tool({ name: 'once', description, input: schema, approval: 'required', run: () => ++runs })
  const { agent } = desk([{ calls: [call('once', { n: 1 })] }, 'Hm.'], { tools: [once] })
  const { session } = await chat(agent, 'Go')
  await session.approve(idOf(session, 'once'))
  strict.on = true

  await session.continue()

  expect(runs).toBe(0)
  expect(outcomes(session)).toMatchObject({ once: { ok: false, error: { code: 'invalid-input' } } })
})

test('every hold shows an input whose hash is the one it is bound to', async () => {
  const remote = tool({ name: 'remote', description, input, executor: 'external', approval: 'required' })
  const person = tool({ name: 'person', description, input, executor: 'human' })
  const { agent } = desk([{ calls: ['print', 'remote', 'person'].map((name) => call(name, { to: ' x ' })) }], {
    tools: [print, remote, person],
  })
  const { session } = await chat(agent, 'Go')
  await session.approve(idOf(session, 'remote'), { input: { to: ' y ' } })

  const holds = session.events.flatMap((event) => (event.type === 'call.held' ? [event.hold] : []))
  expect(holds).toHaveLength(4)
  for (const hold of holds) expect(hold.inputHash).toBe(hashOf(hold.input))
})

test('an edit about which the approval check never says anything is a yes all the same, after a while', async () => {
  let asked = 0
  const approval = (): Promise<{ required: true }> =>
    ++asked === 1 ? Promise.resolve({ required: true }) : new Promise(() => {})
  const slow = tool({ name: 'print', description, input, approval, timeout: '5 s', run: () => 'printed' })
  const { agent, clock } = desk(scripts, { tools: [slow] })
  const { session } = await chat(agent, 'Print')

  const approving = session.approve(idOf(session, 'print'), { input: { to: 'hall' } })

  expect(await inTime(clock, approving)).toMatchObject({ verdict: 'accepted' })
  expect(await session.continue()).toMatchObject({ status: 'done' })
})
