import { proves } from '@holdpoint/testing'
import { Session, tool, type Tool, type Verified } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordingStore, reopen, type Prefix } from './crash.ts'
import {
  call,
  desk,
  expectSound,
  idOf,
  inTime,
  outcomes,
  saved,
  until,
  type Desk,
} from '../../../../test/kit/session-kit.ts'

type OnLost = 'retry' | 'fail' | 'ask' | (() => Verified | Promise<Verified>)
const input = z.object({ to: z.string().trim(), copies: z.number().default(1) })
const scripts = [{ calls: [call('print', { to: ' desk ' })] }, 'Done.']

function printer(onLost: OnLost | undefined, ran: unknown[], more: object = {}): Tool {
  return tool({
    name: 'print',
    description: 'Prints',
    input,
    ...(onLost !== undefined && { onLost }),
    ...more,
    run: ({ input: given, call: { id } }) => (ran.push({ ...given, id }), 'printed'),
  })
}

/** The log as it was when the process died while the call ran. */
async function diedRunning(more: object = {}, edited?: { to: string }): Promise<Prefix> {
  const { store, prefixes } = recordingStore()
  const session = await Session.open(desk(scripts, { tools: [printer(undefined, [], more)] }).agent, { store, id: 'c' })
  const { holds } = await session.send('Print')
  for (const { callId } of holds) await session.approve(callId, edited ? { input: edited } : {})
  await session.continue()
  return prefixes.find(({ events }) => events.at(-1)?.type === 'call.started')!
}

async function after(
  onLost: OnLost | undefined,
  options: { more?: object; edited?: { to: string } } = {},
): Promise<Desk & { session: Session; ran: { id: string }[]; prefix: Prefix }> {
  const prefix = await diedRunning(options.more, options.edited)
  const ran: { id: string }[] = []
  const next = desk(['Done.'], { tools: [printer(onLost, ran, options.more)], process: 'q' })
  return { ...next, session: await reopen(next.agent, prefix), ran, prefix }
}
const idIn = ({ events }: Prefix): string =>
  events.flatMap((event) => (event.type === 'call.started' ? [event.callId] : []))[0]!
const lost = { ok: false, error: { code: 'lost', message: expect.stringContaining('may or may not') } }

test.each([undefined, 'retry'] as const)(
  proves('call.same-id-on-retry', 'onLost %s: the call runs again, under the same id'),
  async (onLost) => {
    const { session, ran, prefix, model } = await after(onLost)

    expect(await session.continue()).toMatchObject({ status: 'done', text: 'Done.' })

    expect(ran).toEqual([{ to: 'desk', copies: 1, id: idIn(prefix) }])
    expect(session.events.filter(({ type }) => type === 'call.started')).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
    expectSound(session, model)
  },
)

test('onLost fail: the call does not run again, and the model is told that the outcome is unknown', async () => {
  const { session, ran } = await after('fail')

  expect(await session.continue()).toMatchObject({ status: 'done' })

  expect(ran).toEqual([])
  expect(outcomes(session)).toEqual({ print: lost })
})

test('onLost ask: a person is asked what happened, with the input as it would run', async () => {
  const { session, ran } = await after('ask')

  expect(await session.continue()).toMatchObject({ status: 'held', reason: 'held' })
  expect(session.holds).toMatchObject([
    {
      kind: 'approval',
      cause: 'lost',
      accepts: ['approve', 'reject', 'answer'],
      input: { to: 'desk', copies: 1 },
      proposed: { to: ' desk ' },
    },
  ])
  expect(session.status).toBe('awaiting_user')
  expect(ran).toEqual([])
})

test(proves('call.same-id-on-retry', 'onLost ask, approved: it runs again under the same id'), async () => {
  const { session, ran, prefix, agent } = await after('ask')
  await session.continue()
  expect(await session.approve(idOf(session, 'print'))).toMatchObject({ verdict: 'accepted' })

  const restored = await Session.open(agent, saved(session))
  await restored.continue()

  expect(outcomes(restored)).toEqual({ print: { ok: true, value: 'printed' } })
  expect(ran).toEqual([{ to: 'desk', copies: 1, id: idIn(prefix) }])
  expectSound(restored)
})

test('onLost ask, approved with another input: that is what runs', async () => {
  const { session, ran } = await after('ask')
  await session.continue()

  await session.approve(idOf(session, 'print'), { input: { to: 'hall', copies: 2 } })
  await session.continue()

  expect(ran).toMatchObject([{ to: 'hall', copies: 2 }])
})

test('onLost ask, rejected: it is given up', async () => {
  const { session, ran } = await after('ask')
  await session.continue()

  await session.reject(idOf(session, 'print'), 'leave it')
  await session.continue()

  expect(ran).toEqual([])
  expect(outcomes(session)).toMatchObject({
    print: { ok: false, error: { code: 'rejected', message: 'Rejected: leave it' } },
  })
})

test('onLost ask, answered: it did happen, and this was its result', async () => {
  const { session, ran } = await after('ask')
  await session.continue()

  await session.answer(idOf(session, 'print'), 'printed at noon')
  await session.continue()

  expect(ran).toEqual([])
  expect(outcomes(session)).toEqual({ print: { ok: true, value: 'printed at noon' } })
})

test.each<[string, () => Verified | Promise<Verified>, unknown, number]>([
  ['it happened', () => ({ happened: true, result: 'found in the tray' }), { ok: true, value: 'found in the tray' }, 0],
  ['it did not happen', async () => ({ happened: false }), { ok: true, value: 'printed' }, 1],
])('verify finds that %s', async (_what, verify, outcome, runs) => {
  const { session, ran } = await after(verify)

  expect(await session.continue()).toMatchObject({ status: 'done' })

  expect(outcomes(session)).toEqual({ print: outcome })
  expect(ran).toHaveLength(runs)
})

test.each<[string, () => unknown]>([
  ['cannot tell', () => ({ happened: 'unknown' })],
  [
    'throws',
    () => {
      throw new Error('printer offline')
    },
  ],
  ['rejects', () => Promise.reject(new Error('printer offline'))],
  ['says nothing', () => undefined],
  ['says something else', () => ({ happened: 'yes' })],
])('verify that %s: a person is asked, and nothing runs', async (_what, verify) => {
  const { session, ran } = await after(verify as () => Verified)

  expect(await session.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'lost' }] })
  expect(ran).toEqual([])
})

test('verify that never returns is left behind at the timeout of the tool: a person is asked, and nothing runs', async () => {
  const { session, ran, clock } = await after(() => new Promise(() => {}), { more: { timeout: '5 s' } })
  const start = clock.now()

  expect(await inTime(clock, session.continue())).toMatchObject({ status: 'held', holds: [{ cause: 'lost' }] })

  expect(clock.now() - start).toBeLessThanOrEqual(6000)
  expect(ran).toEqual([])
})

test('what verify found is checked like any result', async () => {
  const { session } = await after(() => ({ happened: true, result: 10n as never }))

  await session.continue()

  expect(outcomes(session)).toMatchObject({ print: { ok: false, error: { code: 'invalid-output' } } })
})

test('an approved and edited call that was lost runs again as it was edited', async () => {
  const { session, ran } = await after('retry', { more: { approval: 'required' }, edited: { to: ' hall ' } })

  await session.continue()

  expect(ran).toMatchObject([{ to: 'hall', copies: 1 }])
})

test('onLost ask after an edit: the person is shown the edited input, and a plain yes runs it', async () => {
  const { session, ran } = await after('ask', { more: { approval: 'required' }, edited: { to: ' hall ' } })
  await session.continue()
  expect(session.holds).toMatchObject([{ input: { to: 'hall', copies: 1 } }])

  await session.approve(idOf(session, 'print'))
  await session.continue()

  expect(ran).toMatchObject([{ to: 'hall', copies: 1 }])
})

test(
  proves(
    'call.runs-what-was-approved',
    'an approved call that was lost is not run again by a tool that changed meanwhile',
  ),
  async () => {
    const prefix = await diedRunning({ approval: 'required' })
    const ran: unknown[] = []
    const next = desk(['Done.'], {
      tools: [printer('retry', ran, { approval: 'required', description: 'Prints in colour' })],
      process: 'q',
    })
    const session = await reopen(next.agent, prefix)

    expect(await session.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'changed' }] })
    expect(ran).toEqual([])
  },
)

test('a lost call whose tool is gone is asked about, and can be given up', async () => {
  const prefix = await diedRunning()
  const next = desk(['Done.'], { process: 'q' })
  const session = await reopen(next.agent, prefix)

  expect(await session.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'lost' }] })
  await session.reject(idOf(session, 'print'))
  expect(await session.continue()).toMatchObject({ status: 'done' })
})

test('a call that is running in this very process is not taken for lost', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let runs = 0
  const slow = tool({ name: 'slow', description: 'Slow', input: z.object({}), run: () => (runs++, promise) })
  const session = await Session.open(desk([{ calls: [call('slow')] }, 'ok'], { tools: [slow] }).agent)
  const first = session.send('Go')
  await until(() => runs === 1)

  const second = session.continue()
  resolve('done')

  expect(await first).toMatchObject({ status: 'done' })
  expect(await second).toMatchObject({ status: 'done' })
  expect(runs).toBe(1)
})

test('a call that takes its process down again and again is not retried for ever: a person is asked', async () => {
  const { store, prefixes } = recordingStore()
  const first = await Session.open(desk(scripts, { tools: [printer('retry', [])] }).agent, { store, id: 'c' })
  await first.send('Print')
  let events = prefixes.find((prefix) => prefix.events.at(-1)?.type === 'call.started')!.events
  for (let attempt = 2; attempt <= 5; attempt++) {
    const { callId } = events.at(-1) as { callId: string }
    events = [...events, { type: 'call.started', callId, attempt, seq: events.length + 1, at: 0 }]
  }
  const ran: unknown[] = []
  const next = desk(['Done.'], { tools: [printer('retry', ran)], process: 'q' })
  const session = await Session.open(next.agent, { data: { version: 1, id: 'c', events } })

  expect(await session.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'lost' }] })
  expect(ran).toEqual([])
})

test(
  proves(
    'call.runs-what-was-approved',
    'a lost call stays bound to what was approved: agreeing to run it again does not agree to a changed tool',
  ),
  async () => {
    const prefix = await diedRunning({ approval: 'required' })
    const ran: unknown[] = []
    const more = { approval: 'required', description: 'Prints in colour' }
    const session = await reopen(desk(['Done.'], { tools: [printer('ask', ran, more)], process: 'q' }).agent, prefix)
    expect(await session.continue()).toMatchObject({ holds: [{ cause: 'lost' }] })

    await session.approve(idOf(session, 'print'), { by: 'grace' })

    expect(await session.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'changed' }] })
    expect(ran).toEqual([])
  },
)
