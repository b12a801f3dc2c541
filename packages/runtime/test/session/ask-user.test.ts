import { proves } from '@holdpoint/testing'
import { askUser, chat, Session, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

function bookings(run = () => askUser('Which day?', { choices: ['Monday', 'Tuesday'] })) {
  return tool({
    name: 'book',
    description: 'Books a table',
    input: z.object({ people: z.number() }),
    approvalTimeout: '1 hour',
    run,
  })
}
const scripts = [{ calls: [call('book', { people: 2 })] }, 'Booked.']

test('a handler asks the user: the turn waits with the question, and the reply becomes the result', async () => {
  const { agent, model } = desk(scripts, { tools: [bookings()] })

  const asked = await chat(agent, 'A table for two')
  expect(asked).toMatchObject({ status: 'held', reason: 'ask_user' })
  expect(asked.holds).toMatchObject([
    {
      kind: 'elicitation',
      cause: 'asked',
      reason: 'Which day?',
      metadata: { choices: ['Monday', 'Tuesday'] },
      accepts: ['answer', 'reject'],
    },
  ])
  expect(asked.session.status).toBe('awaiting_user')
  expect(model.requests).toHaveLength(1)

  const done = await asked.session.reply('Tuesday')
  expect(done).toMatchObject({ status: 'done', text: 'Booked.' })
  expect(toldTo(model)).toEqual({ book: { ok: true, result: 'Tuesday' } })
  expectSound(done.session, model)
})

test('the question survives being saved and is answered in another process', async () => {
  const here = desk(scripts, { tools: [bookings()] })
  const { session: first } = await chat(here.agent, 'A table for two')
  const there = desk(['Booked, from elsewhere.'], { tools: [bookings()], process: 'q', clock: here.clock })

  const session = await Session.open(there.agent, saved(first))
  expect(session.status).toBe('awaiting_user')

  expect(await session.reply('Monday')).toMatchObject({ text: 'Booked, from elsewhere.' })
  expect(toldTo(there.model)).toEqual({ book: { ok: true, result: 'Monday' } })
})

test(proves('call.one-outcome', 'the handler does not run again after the answer'), async () => {
  let runs = 0
  const book = bookings(() => {
    runs++
    return askUser('Which day?')
  })
  const { agent } = desk(scripts, { tools: [book] })

  const { session } = await chat(agent, 'A table for two')
  await session.reply('Monday')

  expect(runs).toBe(1)
})

test('a user who will not answer rejects the question, and the model reads why', async () => {
  const { agent, model } = desk(scripts, { tools: [bookings()] })
  const { session } = await chat(agent, 'A table for two')

  expect(await session.reject(idOf(session, 'book'), 'None of your business')).toMatchObject({ verdict: 'accepted' })
  await session.continue()

  expect(toldTo(model)).toEqual({
    book: { ok: false, error: { code: 'rejected', message: 'Rejected: None of your business' } },
  })
})

test('a question cannot be approved', async () => {
  const { session } = await chat(desk(scripts, { tools: [bookings()] }).agent, 'A table for two')

  expect(await session.approve(idOf(session, 'book'))).toMatchObject({ verdict: 'wrong-kind' })
})

test('an answer that does not fit the tool is refused, and the question stays open', async () => {
  const book = tool({
    name: 'book',
    description: 'Books',
    input: z.object({ people: z.number() }),
    output: z.object({ day: z.enum(['Mon', 'Tue']) }),
    run: () => askUser('Which day?'),
  })
  const { agent } = desk(scripts, { tools: [book] })
  const { session, holds } = await chat(agent, 'A table for two')
  expect(holds[0]?.answerSchema).toMatchObject({ type: 'object' })

  expect(await session.answer(idOf(session, 'book'), { day: 'Sunday' })).toMatchObject({ verdict: 'invalid' })
  expect(await session.reply('Mon')).toMatchObject({ status: 'refused', reason: 'invalid' })
  expect(await session.answer(idOf(session, 'book'), { day: 'Mon' })).toMatchObject({ verdict: 'accepted' })

  expect(await session.continue()).toMatchObject({ status: 'done' })
})

test('an unanswered question expires, and the model is told so', async () => {
  const { agent, model, clock } = desk(scripts, { tools: [bookings()] })
  const { session } = await chat(agent, 'A table for two')

  await clock.advance(3_600_000)
  await session.continue()

  expect(toldTo(model)).toEqual({ book: { ok: false, error: { code: 'expired', message: 'No answer in 1 h.' } } })
})

test('two questions of one round are answered one after the other, and the model is asked once', async () => {
  const { agent, model } = desk(
    [{ calls: [call('book', { people: 2 }), call('book', { people: 4 })] }, 'Both booked.'],
    { tools: [bookings()] },
  )
  const { session, holds } = await chat(agent, 'Two tables')
  expect(holds).toHaveLength(2)

  expect(await session.reply('Monday')).toMatchObject({ status: 'held', reason: 'ask_user' })
  expect(model.requests).toHaveLength(1)

  expect(await session.reply('Tuesday')).toMatchObject({ status: 'done' })
  expectSound(session, model)
})

test('with no question open, a reply is an ordinary message', async () => {
  const { agent } = desk(['Hello.', 'Fine.'])
  const { session } = await chat(agent, 'Hi')

  expect(await session.reply('How are you?')).toMatchObject({ status: 'done', text: 'Fine.' })
})

test('a gated handler may ask too: an approval first, then the question', async () => {
  const book = tool({
    name: 'book',
    description: 'Books',
    input: z.object({ people: z.number() }),
    approval: 'required',
    run: () => askUser('Which day?'),
  })
  const { agent } = desk(scripts, { tools: [book] })
  const { session } = await chat(agent, 'A table for two')

  await session.approve(idOf(session, 'book'))
  expect(await session.continue()).toMatchObject({ reason: 'ask_user', holds: [{ kind: 'elicitation' }] })
  expect(await session.reply('Monday')).toMatchObject({ status: 'done' })

  expect(outcomes(session)).toEqual({ book: { ok: true, value: 'Monday' } })
})
