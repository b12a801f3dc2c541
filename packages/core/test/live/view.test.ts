import { expect, test } from 'vitest'
import { holdsOf } from '../../src/live/view-turns-and-holds.ts'
import type { View, ViewCall } from '../../src/live/view-shape.ts'
import { applyEvent, emptyView, viewOf } from '../../src/live/view.ts'
import type { LogEvent } from '../../src/log/log-event.ts'
import { approved, asked, call, expired, held, log, replied, running, settled, started } from './events.ts'

function callOf(view: View, callId = 'c1'): ViewCall {
  const found = view.turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls)).find((c) => c.callId === callId)
  if (!found) throw new Error(`no call ${callId}`)
  return found
}

const oneCall = [started('t1'), replied('t1', 1, ['One moment.', call('c1')])] as const

test('a turn shows what was asked, each step with its reply and calls, and how it ended', () => {
  const view = viewOf(log(...oneCall, running('c1'), settled('c1'), replied('t1', 2, ['Done.'])))

  expect(view).toMatchObject({ from: 1, seq: 5, agent: 'desk', status: 'idle', queue: [], waiting: [] })
  const [turn] = view.turns
  expect(turn).toMatchObject({ turnId: 't1', agent: 'desk', startedAt: 100, items: [asked('hello')] })
  expect(turn?.steps.map(({ step, reply }) => [step, reply?.parts.length])).toEqual([
    [1, 2],
    [2, 1],
  ])
  expect(callOf(view)).toEqual({
    callId: 'c1',
    name: 'email.send',
    proposed: { to: 'ada' },
    input: { to: 'ada' },
    state: 'settled',
    attempt: 1,
    startedAt: 300,
    holds: 0,
    resolved: [],
    outcome: { ok: true, value: 'sent' },
    settledAt: 400,
  })
  expect(turn?.ended).toEqual({ reason: 'completed', at: 500 })
})

test('the status says who has to act: no one, the runtime, or a person or program outside', () => {
  const events = log(
    ...oneCall,
    held('c1'),
    approved('c1'),
    running('c1'),
    settled('c1'),
    replied('t1', 2, ['Done.']),
    { type: 'message.queued', item: asked('and?') },
    started('t2', [asked('and?')], { queued: 1 }),
    { type: 'turn.ended', turnId: 't2', reason: 'cancelled', message: 'Enough.' },
  )
  const statuses = events.map((_, index) => viewOf(events.slice(0, index + 1)).status)

  expect(statuses.join(' ')).toBe('running running held running running running idle running running idle')
  expect(viewOf(events).turns[1]?.ended).toEqual({ reason: 'cancelled', message: 'Enough.', at: 1000 })
})

test('a held call has all that is needed to draw the question and to answer it', () => {
  const given = { input: { to: 'ada', cc: [] }, reason: 'ada is outside', metadata: { risk: 2 }, approvers: 2 }
  const view = viewOf(
    log(...oneCall, held('c1', given), { type: 'call.endorsed', callId: 'c1', by: 'ann', inputHash: 'hash' }),
  )

  expect(callOf(view)).toMatchObject({ state: 'held', input: given.input, proposed: { to: 'ada' } })
  expect(holdsOf(view)).toEqual([callOf(view).hold])
  expect(holdsOf(view)[0]).toMatchObject({
    ...given,
    callId: 'c1',
    name: 'email.send',
    proposed: { to: 'ada' },
    kind: 'approval',
    cause: 'tool',
    accepts: ['approve', 'reject'],
    nth: 1,
    endorsedBy: ['ann'],
    heldAt: 250,
    expiresAt: 1250,
  })
})

test('a call that was approved with edits shows what runs, what was proposed, and who said so', () => {
  const edited = { input: { to: 'bob' }, effective: { to: 'bob', cc: [] } }
  const view = viewOf(log(...oneCall, held('c1'), approved('c1', 'ann', edited), running('c1')))

  expect(callOf(view)).toMatchObject({
    state: 'running',
    proposed: { to: 'ada' },
    input: edited.effective,
    resolved: [{ hold: 'approval', nth: 1, resolution: { kind: 'approve', input: { to: 'bob' } }, by: 'ann', at: 400 }],
  })
  expect(callOf(view)).not.toHaveProperty('hold')
})

test('a call that waits twice shows the second hold, with the first answer behind it', () => {
  const client = held('c1', { kind: 'client', accepts: ['answer'], timeoutMs: 100, expiresAt: 600 })
  const view = viewOf(log(...oneCall, held('c1'), approved('c1', 'ann'), client))

  expect(callOf(view)).toMatchObject({
    state: 'held',
    holds: 2,
    hold: { kind: 'client', nth: 2, heldAt: 500, endorsedBy: [] },
    resolved: [{ nth: 1, heldAt: 250, at: 400 }],
  })
  expect(holdsOf(view)).toHaveLength(1)
})

test('an expired question is no hold any more, yet shows whether a late answer is taken, and then the answer', () => {
  const question = held('c1', { kind: 'elicitation', accepts: ['answer', 'reject'], late: 'inbox' })
  const before = log(...oneCall, question, { type: 'call.settled', callId: 'c1', outcome: expired })

  expect(callOf(viewOf(before))).toMatchObject({
    state: 'settled',
    outcome: expired,
    missed: { late: 'inbox', nth: 1 },
  })
  expect(holdsOf(viewOf(before))).toEqual([])

  const outcome = { ok: true, value: 42 } as const
  const resolution = { kind: 'answer', value: 42 } as const
  const item = { kind: 'answer', callId: 'c1', name: 'email.send', outcome } as const
  const arrived = viewOf(
    log(...before, { type: 'answer.arrived', callId: 'c1', name: 'email.send', outcome, resolution, by: 'ann' }),
  )
  expect(arrived.queue).toEqual([item])
  expect(callOf(arrived)).toMatchObject({
    outcome: expired,
    arrived: { outcome, by: 'ann', at: 500 },
    resolved: [{ hold: 'elicitation', nth: 1, resolution, by: 'ann', at: 500 }],
  })
  expect(callOf(arrived)).not.toHaveProperty('missed')
})

test('an async call is settled for the model and still a hold for people, whatever turn it was in', () => {
  const job = held('c1', { kind: 'external', accepts: ['answer'], async: true })
  const bodies = [
    ...oneCall,
    job,
    settled('c1', { status: 'pending' }),
    replied('t1', 2, ['It is on its way.']),
    started('t2', [asked('thanks')]),
  ]
  const waiting = viewOf(log(...bodies))

  expect(callOf(waiting)).toMatchObject({ state: 'settled', hold: { kind: 'external', nth: 1 } })
  expect(holdsOf(waiting)).toEqual([callOf(waiting).hold])
  expect(viewOf(log(...bodies.slice(0, 5)))).toMatchObject({ status: 'idle', waiting: [{ callId: 'c1' }] })

  const outcome = { ok: true, value: 'built' } as const
  const item = { kind: 'answer', callId: 'c1', name: 'email.send', outcome } as const
  const resolution = { kind: 'answer', value: 'built' } as const
  const done = viewOf(
    log(
      ...bodies,
      { type: 'answer.arrived', callId: 'c1', name: 'email.send', outcome, resolution },
      replied('t2', 1, ['You are welcome.']),
      started('t3', [item], { queued: 1 }),
    ),
  )
  expect(holdsOf(done)).toEqual([])
  expect(callOf(done)).toMatchObject({
    outcome: { value: { status: 'pending' } },
    settledAt: 400,
    arrived: { outcome, at: 700 },
  })
  expect(done.turns[2]?.items).toEqual([item])
  expect(done.queue).toEqual([])
})

test('an async call without an answer in time shows the hold that expired', () => {
  const job = held('c1', { kind: 'external', accepts: ['answer'], async: true })
  const late = { type: 'answer.arrived', callId: 'c1', name: 'email.send', outcome: expired } as const
  const view = viewOf(log(...oneCall, job, settled('c1', { status: 'pending' }), late))

  expect(callOf(view)).toMatchObject({ missed: { nth: 1 }, arrived: { outcome: expired }, resolved: [] })
  expect(holdsOf(view)).toEqual([])
})

test('a call that was cancelled while it waited is settled, and can no longer be answered', () => {
  const outcome = { ok: false, error: { code: 'cancelled', message: 'Enough.' } } as const
  const async = held('c1', { async: true })
  const view = viewOf(log(...oneCall, async, { type: 'call.settled', callId: 'c1', outcome }))

  expect(callOf(view)).toMatchObject({ state: 'settled', outcome, missed: { nth: 1 } })
  expect(holdsOf(view)).toEqual([])
})

test('a reply without calls does not end a turn whose structured result comes in a second pass', () => {
  const output = { spec: { schema: {} }, finalize: true }
  const first = log(started('t1', [asked('42?')], { output }), replied('t1', 1, ['It is 42.']))

  expect(viewOf(first)).toMatchObject({ status: 'running', turns: [{ output }] })
  const view = viewOf(log(...first, replied('t1', 2, ['{"n":42}'])))
  expect(view).toMatchObject({ status: 'idle', turns: [{ ended: { reason: 'completed' } }] })
  const broken = replied('t1', 1, ['It'], { ends: 'interrupted', message: 'The reply was cut off.' })
  expect(viewOf(log(started('t1', [], { output }), broken)).turns[0]?.ended).toEqual({
    reason: 'interrupted',
    message: 'The reply was cut off.',
    at: 200,
  })
})

test('arguments that are no JSON are shown as what they were', () => {
  const part = {
    type: 'call',
    callId: 'c1',
    vendorId: 'v',
    name: 'add',
    input: null,
    malformed: 'no JSON: {"a',
  } as const
  expect(callOf(viewOf(log(started('t1'), replied('t1', 1, [part]), running('c1'))))).toMatchObject({
    proposed: null,
    malformed: 'no JSON: {"a',
  })
})

test('a conversation that was opened and nothing more has an agent and no turns', () => {
  const view = viewOf(log({ type: 'conversation.opened', agent: 'desk' }))
  expect(view).toEqual({ ...emptyView, seq: 1, agent: 'desk' })
})

test('on a page, what is about calls and turns before it moves seq and nothing else', () => {
  const events = log(...oneCall, running('c1'), settled('c1'), replied('t1', 2, ['Done.']), started('t2'))
  const page = viewOf(events.slice(2, 5))

  expect(page).toEqual({ ...emptyView, from: 3, seq: 5 })
  expect(viewOf(events.slice(5), [], page).turns.map(({ turnId }) => turnId)).toEqual(['t2'])
})

test('an event that comes too early is not applied: the view says so, and catches up', () => {
  const [first, second, third, fourth] = log(...oneCall, running('c1'), settled('c1')) as [
    LogEvent,
    LogEvent,
    LogEvent,
    LogEvent,
  ]
  const behind = viewOf([first, fourth, third])

  expect(behind).toEqual({ ...viewOf([first]), behind: 4 })
  expect(applyEvent(behind, fourth)).toBe(behind)
  expect(viewOf([second], [], behind)).toMatchObject({ seq: 2, behind: 4 })
  expect(viewOf([second, third, fourth], [], behind)).toEqual(viewOf([first, second, third, fourth]))
})

test('only who agreed to exactly the input that is shown is shown with it', () => {
  const yes = (by: string, inputHash: string) => ({ type: 'call.endorsed', callId: 'c1', by, inputHash }) as const
  const view = viewOf(log(...oneCall, held('c1', { approvers: 3 }), yes('ann', 'another'), yes('bob', 'hash')))

  expect(holdsOf(view)[0]).toMatchObject({ inputHash: 'hash', endorsedBy: ['bob'] })
})

test('a decision of several people names all who approved exactly the input that ran, for whom, and no other', () => {
  const yes = (by: string, inputHash: string, more = {}) =>
    ({ type: 'call.endorsed', callId: 'c1', by, inputHash, ...more }) as const
  const view = viewOf(
    log(
      ...oneCall,
      held('c1', { approvers: 2 }),
      yes('cleo', 'another'),
      yes('ann', 'hash'),
      yes('eve', 'hash', { onBehalfOf: 'bob' }),
      {
        type: 'call.approved',
        callId: 'c1',
        by: 'eve',
        onBehalfOf: 'bob',
        resolution: { kind: 'approve' },
        inputHash: 'hash',
        fingerprint: 'print',
      },
    ),
  )

  expect(callOf(view).resolved).toMatchObject([
    {
      by: 'eve',
      onBehalfOf: 'bob',
      approvals: [
        { by: 'ann', inputHash: 'hash' },
        { by: 'eve', onBehalfOf: 'bob', inputHash: 'hash' },
      ],
    },
  ])
  expect(callOf(viewOf(log(...oneCall, held('c1'), approved('c1', 'ann')))).resolved[0]).not.toHaveProperty('approvals')
})

test('an event of a kind that only newer code knows moves seq and leaves the rest', () => {
  const before = viewOf(log(...oneCall))
  const unknown = { type: 'call.painted', callId: 'c1', seq: 3, at: 300 } as unknown as LogEvent

  expect(applyEvent(before, unknown)).toEqual({ ...before, seq: 3 })
})

test('a damaged log is shown as far as it makes sense, and never throws', () => {
  const outcome = { ok: true, value: 'late' } as const
  const sound = [...oneCall, settled('c1')]
  const nonsense = [
    { type: 'call.endorsed', callId: 'c1', by: 'ann', inputHash: 'hash' },
    approved('c1'),
    { type: 'answer.arrived', callId: 'c1', name: 'email.send', outcome },
  ] as const
  for (const body of nonsense)
    expect(callOf(viewOf(log(...oneCall, body)))).toMatchObject({ state: 'ready', resolved: [] })
  expect(callOf(viewOf(log(...oneCall, running('c1'), approved('c1'))))).toMatchObject({ state: 'running' })
  const elsewhere = [replied('t0', 2, ['Who?']), { type: 'turn.ended', turnId: 't0', reason: 'halted' } as const]
  for (const body of elsewhere) expect(viewOf(log(...sound, body)).turns).toEqual(viewOf(log(...sound)).turns)
  const after = [running('c1'), held('c1'), settled('c1', 'again'), approved('c1')]
  for (const body of after) expect(viewOf(log(...sound, body)).turns).toEqual(viewOf(log(...sound)).turns)
  const ended = [...sound, replied('t1', 2, ['Done.'])]
  for (const body of [
    replied('t1', 3, ['More.']),
    replied('t0', 1, ['Who?']),
    { type: 'turn.ended', turnId: 't1', reason: 'halted' } as const,
    settled('unknown'),
  ])
    expect(viewOf(log(...ended, body)).turns).toEqual(viewOf(log(...ended)).turns)
})
