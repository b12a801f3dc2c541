import { later, memoryStore } from '@holdpoint/core'
import { manualClock, proves } from '@holdpoint/testing'
import { ask, chat, Session, tool, toolError, type JsonObject, type ToolContext } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  call,
  desk,
  expectSound,
  idOf,
  live,
  outcomes,
  saved,
  say,
  toldTo,
  types,
} from '../../../../test/kit/session-kit.ts'

const DAY: JsonObject = {
  type: 'object',
  properties: { day: { type: 'string', enum: ['Monday', 'Tuesday'] } },
  required: ['day'],
}

/** Asks for a day, then whether that is sure, and then books. */
function bookings(runs: ToolContext<{ people: number }>['resumed'][] = [], extra: object = {}) {
  return tool({
    name: 'book',
    description: 'Books a table',
    input: z.object({ people: z.number() }),
    timeout: '10 s',
    approvalTimeout: '30 days',
    ...extra,
    run: ({ input, resumed, call: { id } }) => {
      runs.push(resumed)
      if (!resumed) return ask({ prompt: 'Which day?', schema: DAY, state: { asked: 'day', people: input.people } })
      const { answer, state } = resumed
      if (answer?.kind === 'reject') return toolError(`Not without a day: ${answer.reason ?? 'no reason'}`)
      if (answer?.kind !== 'answer' || 'error' in answer) return toolError('The form was put aside.')
      if ((state as { asked: string }).asked === 'day')
        return ask({ prompt: 'Are you sure?', state: { asked: 'sure', day: (answer.value as { day: string }).day } })
      return { booked: (state as { day: string }).day, sure: answer.value, reference: id }
    },
  })
}
const scripts = [{ calls: [call('book', { people: 2 })] }, 'Booked.']

test('a handler asks in the middle of a call, and the same call goes on with the answer and what it kept', async () => {
  const runs: unknown[] = []
  const { agent, model } = desk(scripts, { tools: [bookings(runs as never)] })

  const asked = await chat(agent, 'A table for two')
  expect(asked).toMatchObject({ status: 'held' })
  expect(asked.holds).toMatchObject([
    { kind: 'elicitation', cause: 'asked', reason: 'Which day?', answerSchema: DAY, accepts: ['answer', 'reject'] },
  ])
  const { session } = asked
  const callId = idOf(session, 'book')
  await session.answer(callId, { day: 'Monday' }, { by: 'ada' })
  expect(await session.continue()).toMatchObject({
    status: 'held',
    holds: [{ callId, reason: 'Are you sure?', nth: 2 }],
  })
  await session.answer(callId, true)
  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Booked.' })

  expect(toldTo(model)).toEqual({ book: { ok: true, result: { booked: 'Monday', sure: true, reference: callId } } })
  expect(runs).toEqual([
    undefined,
    { state: { asked: 'day', people: 2 }, answer: { kind: 'answer', value: { day: 'Monday' } }, by: 'ada' },
    { state: { asked: 'sure', day: 'Monday' }, answer: { kind: 'answer', value: true }, by: undefined },
  ])
  expectSound(session, model)
})

test(
  proves('call.goes-on-with-the-answer', 'a question is answered in another process, days later, whatever its timeout'),
  async () => {
    const here = desk(scripts, { tools: [bookings()] })
    const { session: first } = await chat(here.agent, 'A table for two')
    await here.clock.advance(9 * 86_400_000)
    const there = desk(['Booked, from elsewhere.'], { tools: [bookings()], process: 'q', clock: here.clock })

    const second = await Session.open(there.agent, saved(first))
    const callId = idOf(second, 'book')
    expect(await second.answer(callId, { day: 'Tuesday' })).toMatchObject({ verdict: 'accepted' })
    const third = await Session.open(there.agent, saved(second))
    expect(await third.continue()).toMatchObject({ holds: [{ reason: 'Are you sure?' }] })
    await third.answer(callId, 'yes')
    expect(await third.continue()).toMatchObject({ text: 'Booked, from elsewhere.' })
    expect(outcomes(third)).toMatchObject({ book: { ok: true, value: { booked: 'Tuesday', sure: 'yes' } } })
  },
)

test('an answer must fit the question, whatever the output of the tool is', async () => {
  const { agent } = desk(scripts, { tools: [bookings([], { output: { type: 'object', required: ['booked'] } })] })
  const { session } = await chat(agent, 'A table for two')
  const callId = idOf(session, 'book')

  expect(await session.answer(callId, { day: 'Someday' })).toMatchObject({
    verdict: 'invalid',
    message: expect.stringMatching(/does not fit the question.*day/s) as string,
  })
  expect(types(session).filter((type) => type === 'call.resumed')).toEqual([])
  expect(await session.answer(callId, { day: 'Monday' })).toMatchObject({ verdict: 'accepted' })
})

test(proves('hold.resolves-once', 'an answer that is sent twice is not spent on the next question'), async () => {
  const { agent } = desk(scripts, { tools: [bookings()] })
  const { session } = await chat(agent, 'A table for two')
  const callId = idOf(session, 'book')
  await session.answer(callId, { day: 'Monday' }, { by: 'ada' })
  await session.continue()

  expect(await session.answer(callId, { day: 'Monday' }, { by: 'ada' })).toMatchObject({
    verdict: 'duplicate',
    message: expect.stringContaining('If hold 2 is meant, say so') as string,
  })
  expect(await session.answer(callId, { day: 'Monday' }, { by: 'ada', hold: 2 })).toMatchObject({ verdict: 'accepted' })
})

test('the handler receives a rejected or dismissed question', async () => {
  for (const [resolve, told] of [
    [(s: Session, id: string) => s.reject(id, 'busy'), 'Not without a day: busy'],
    [(s: Session, id: string) => s.resolve(id, { kind: 'answer', error: 'closed' }), 'The form was put aside.'],
  ] as const) {
    const { agent, model } = desk(scripts, { tools: [bookings()] })
    const { session } = await chat(agent, 'A table for two')
    await resolve(session, idOf(session, 'book'))
    await session.continue()
    expect(toldTo(model)).toEqual({ book: { ok: false, error: { code: 'failed', message: told } } })
  }
})

test('a question without an answer expires, and a cancelled turn cancels it too', async () => {
  const late = desk(scripts, { tools: [bookings([], { approvalTimeout: '1 h' })] })
  const { session } = await chat(late.agent, 'A table for two')
  await late.clock.advance(3_600_001)
  await session.continue()
  expect(outcomes(session)).toMatchObject({ book: { ok: false, error: { code: 'expired' } } })

  const other = await chat(desk(scripts, { tools: [bookings()] }).agent, 'A table for two')
  const callId = idOf(other.session, 'book')
  await other.session.cancel()
  expect(outcomes(other.session)).toMatchObject({ book: { ok: false, error: { code: 'cancelled' } } })
  expect(await other.session.answer(callId, { day: 'Monday' })).toMatchObject({ verdict: 'stale' })
})

test(
  proves('call.runs-what-was-approved', 'a yes covers the questions of its call, and no other definition of the tool'),
  async () => {
    const gated = (description: string) => bookings([], { approval: 'required', description })
    const here = desk(scripts, { tools: [gated('Books a table')] })
    const { session: first } = await chat(here.agent, 'A table for two')
    const callId = idOf(first, 'book')
    await first.approve(callId)
    expect(await first.continue()).toMatchObject({ holds: [{ kind: 'elicitation', reason: 'Which day?' }] })
    await first.answer(callId, { day: 'Monday' })

    const same = await Session.open(
      desk(['…'], { tools: [gated('Books a table')], clock: here.clock }).agent,
      saved(first),
    )
    expect(await same.continue()).toMatchObject({ holds: [{ reason: 'Are you sure?' }] })

    const changed = desk(['Done.'], { tools: [gated('Books a whole restaurant')], clock: here.clock })
    const other = await Session.open(changed.agent, saved(first))
    expect(await other.continue()).toMatchObject({ holds: [{ kind: 'approval', cause: 'changed' }] })
    await other.approve(callId, { hold: 3 })
    expect(await other.continue()).toMatchObject({ holds: [{ reason: 'Are you sure?' }] })
  },
)

test(
  proves('call.same-id-on-retry', 'a process that dies after the answer runs the call again with that answer'),
  async () => {
    const runs: unknown[] = []
    const store = memoryStore({ now: () => 0 })
    const clock = manualClock()
    let dies = true
    const dying = tool({
      name: 'book',
      description: 'Books a table',
      input: z.object({ people: z.number() }),
      run: ({ resumed, call: { id, attempt } }) => {
        runs.push([id, attempt, resumed?.state, resumed?.answer])
        if (!resumed) return ask({ prompt: 'Which day?', state: 'kept' })
        return dies ? new Promise(() => {}) : 'booked'
      },
    })
    const here = desk(scripts, { tools: [dying], clock })
    const first = await live(here.agent, store)
    const { holds } = await say(first, 'A table for two')
    const callId = holds[0]?.callId ?? ''
    await first.resolve(callId, { kind: 'answer', value: 'Monday' }, {})
    void first.drive('all')
    await clock.advance(10)
    dies = false

    const there = desk(['Booked.'], { tools: [dying], clock, process: 'q' })
    const second = await live(there.agent, store)
    await second.drive('all')

    const answer = { kind: 'answer', value: 'Monday' }
    expect(runs).toEqual([
      [callId, 1, undefined, undefined],
      [callId, 2, 'kept', answer],
      [callId, 3, 'kept', answer],
    ])
    expect(toldTo(there.model)).toEqual({ book: { ok: true, result: 'booked' } })
  },
)

test('a handler that looks later is run again when the time has come; an answer before that is the result', async () => {
  const runs: unknown[] = []
  const track = tool({
    name: 'track',
    description: 'Waits for a parcel',
    input: z.object({}),
    output: z.string(),
    run: ({ resumed }) => {
      runs.push(resumed?.state)
      const looked = typeof resumed?.state === 'number' ? resumed.state : 0
      return looked < 2 ? later({ after: '1 h', state: looked + 1, reason: 'The parcel is under way.' }) : 'arrived'
    },
  })
  const script = [{ calls: [call('track')] }, 'Done.']
  const { agent, clock, model } = desk(script, { tools: [track] })
  const { session, holds } = await chat(agent, 'Where is it?')
  expect(holds).toMatchObject([{ kind: 'external', reason: 'The parcel is under way.', accepts: ['answer'] }])
  expect(await session.continue()).toMatchObject({ status: 'held' })
  expect(runs).toEqual([undefined])
  await clock.advance(3_600_000)
  await session.continue()
  await clock.advance(3_600_000)
  expect(await session.continue()).toMatchObject({ status: 'done' })
  expect(runs).toEqual([undefined, 1, 2])
  expect(toldTo(model)).toEqual({ track: { ok: true, result: 'arrived' } })

  const other = await chat(desk(script, { tools: [track] }).agent, 'Where is it?')
  await other.session.answer(idOf(other.session, 'track'), 'a colleague has it')
  await other.session.continue()
  expect(outcomes(other.session)).toMatchObject({ track: { ok: true, value: 'a colleague has it' } })
})

test('nonsense for a question is an error of the tool, and nothing is held', async () => {
  for (const [nonsense, why] of [
    [ask({ prompt: 7 as unknown as string }), /needs a "prompt"/],
    [ask({ prompt: 'x', schema: { type: 'nothing' } }), /schema/i],
    [ask({ prompt: 'x', schema: 'text' as unknown as JsonObject }), /must be a JSON Schema/],
    [ask({ prompt: 'x', url: 5 as unknown as string }), /"url"/],
    [ask({ prompt: 'x', state: 1n as unknown as string }), /BigInt/],
    [later({ after: 'soon' }), /must say how long/],
    [later({ after: 5, reason: {} as string }), /"reason"/],
  ] as const) {
    const bad = tool({ name: 'bad', description: 'Asks', input: z.object({}), run: () => nonsense })
    const { session } = await chat(desk([{ calls: [call('bad')] }, 'Oh.'], { tools: [bad] }).agent, 'Go')
    expect(session.holds).toEqual([])
    expect(outcomes(session)).toMatchObject({
      bad: { ok: false, error: { code: 'invalid-output', message: expect.stringMatching(why) as string } },
    })
  }
})
