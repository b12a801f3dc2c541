import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Resolution, type Verdict } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, saved, types, type Desk } from '../../../../test/kit/session-kit.ts'

const input = z.object({ n: z.number() })
const description = 'For a test'
const tools = [
  tool({ name: 'gated', description, input, approval: 'required', approvalTimeout: '1 hour', run: () => 'ran' }),
  tool({ name: 'person', description, input, output: z.string(), executor: 'human', timeout: '1 hour' }),
  tool({
    name: 'worker',
    description,
    input,
    output: z.string(),
    executor: 'external',
    approval: 'required',
    timeout: '1 hour',
  }),
  tool({ name: 'free', description, input, run: () => 'ran' }),
]

const approve: Resolution = { kind: 'approve' }
const edit: Resolution = { kind: 'approve', input: { n: 2 } }
const badEdit: Resolution = { kind: 'approve', input: { n: 'x' } }
const reject: Resolution = { kind: 'reject', reason: 'no' }
const rejectElse: Resolution = { kind: 'reject', reason: 'never' }
const say: Resolution = { kind: 'answer', value: 'yes' }
const sayElse: Resolution = { kind: 'answer', value: 'no' }
const sayBad: Resolution = { kind: 'answer', value: 7 }
const sayError: Resolution = { kind: 'answer', error: 'broken' }

interface Place extends Desk {
  session: Session
  readonly callId: string
}

async function held(name: string): Promise<Place> {
  const at = desk([{ calls: [call(name, { n: 1 })] }, 'Done.', 'Again.'], { tools })
  const { session } = await chat(at.agent, 'Go')
  return { ...at, session, callId: idOf(session, name) }
}

/** Where a call can be when an answer comes, and how it got there. */
const places: Readonly<Record<string, (name: string) => Promise<Place>>> = {
  waits: held,
  'was approved': async (name) => after(await held(name), approve),
  'was approved with an edit': async (name) => after(await held(name), edit),
  'was rejected': async (name) => after(await held(name), reject),
  'was answered': async (name) => after(await held(name), say),
  'was approved and answered': async (name) => after(await after(await held(name), approve), say),
  'was approved and ran': async (name) => {
    const place = await after(await held(name), approve)
    await place.session.continue()
    return place
  },
  'is past its deadline': async (name) => {
    const place = await held(name)
    await place.clock.advance(3_600_000 * 24 * 8)
    return place
  },
  'expired in an earlier turn': async (name) => {
    const place = await held(name)
    await place.clock.advance(3_600_000 * 24 * 8)
    await place.session.continue()
    await place.session.send('More')
    return place
  },
  'was cancelled': async (name) => {
    const place = await held(name)
    await place.session.cancel()
    return place
  },
  'was superseded': async (name) => {
    const place = await held(name)
    await place.session.send('Never mind', { whileBusy: 'supersede' })
    return place
  },
}

async function after(place: Place, resolution: Resolution): Promise<Place> {
  expect(await place.session.resolve(place.callId, resolution, { by: 'first' })).toMatchObject({ verdict: 'accepted' })
  return place
}

type Row = readonly [name: string, where: string, ...expected: readonly (readonly [Resolution, Verdict])[]]
const table: readonly Row[] = [
  [
    'gated',
    'waits',
    [approve, 'accepted'],
    [edit, 'accepted'],
    [badEdit, 'invalid'],
    [reject, 'accepted'],
    [say, 'wrong-kind'],
    [sayError, 'wrong-kind'],
  ],
  [
    'gated',
    'was approved',
    [approve, 'duplicate'],
    [edit, 'conflict'],
    [badEdit, 'conflict'],
    [reject, 'conflict'],
    [say, 'wrong-kind'],
  ],
  ['gated', 'was approved with an edit', [approve, 'conflict'], [edit, 'duplicate'], [reject, 'conflict']],
  [
    'gated',
    'was rejected',
    [reject, 'duplicate'],
    [rejectElse, 'conflict'],
    [approve, 'conflict'],
    [say, 'wrong-kind'],
  ],
  ['gated', 'was approved and ran', [approve, 'duplicate'], [reject, 'conflict'], [say, 'wrong-kind']],
  ['gated', 'is past its deadline', [approve, 'expired'], [reject, 'expired'], [badEdit, 'expired']],
  ['gated', 'expired in an earlier turn', [approve, 'expired'], [reject, 'expired']],
  ['gated', 'was cancelled', [approve, 'stale'], [reject, 'stale'], [say, 'stale']],
  ['gated', 'was superseded', [approve, 'stale'], [badEdit, 'stale']],
  [
    'person',
    'waits',
    [say, 'accepted'],
    [sayBad, 'invalid'],
    [sayError, 'accepted'],
    [reject, 'accepted'],
    [approve, 'wrong-kind'],
  ],
  [
    'person',
    'was answered',
    [say, 'duplicate'],
    [sayElse, 'conflict'],
    [sayBad, 'conflict'],
    [sayError, 'conflict'],
    [reject, 'conflict'],
    [approve, 'wrong-kind'],
  ],
  ['person', 'was rejected', [reject, 'duplicate'], [rejectElse, 'conflict'], [say, 'conflict']],
  ['person', 'is past its deadline', [say, 'expired'], [reject, 'expired']],
  ['person', 'was cancelled', [say, 'stale'], [reject, 'stale']],
  ['worker', 'waits', [approve, 'accepted'], [say, 'wrong-kind'], [reject, 'accepted']],
  [
    'worker',
    'was approved',
    [say, 'accepted'],
    [sayBad, 'invalid'],
    [sayError, 'accepted'],
    [approve, 'duplicate'],
    [edit, 'conflict'],
    [reject, 'conflict'],
  ],
  ['worker', 'was approved with an edit', [edit, 'duplicate'], [approve, 'conflict']],
  ['worker', 'was rejected', [reject, 'duplicate'], [approve, 'conflict'], [say, 'wrong-kind']],
  [
    'worker',
    'was approved and answered',
    [say, 'duplicate'],
    [sayElse, 'conflict'],
    [approve, 'duplicate'],
    [reject, 'conflict'],
  ],
]

const rows = table.flatMap(([name, where, ...expected]) =>
  expected.map(([resolution, verdict]) => [name, where, JSON.stringify(resolution), verdict, resolution] as const),
)

test.each(rows)(
  proves(
    'hold.resolves-once',
    'hold.never-accepted-and-dropped',
    'when a call of %s %s, %s is told %s, in this process and in the next',
  ),
  async (name, where, _text, verdict, resolution) => {
    const place = await places[where]!(name)
    const restored = await Session.open(place.agent, saved(place.session))
    for (const session of [place.session, restored]) {
      await session.expire()
      const before = session.events.length

      const answer = await session.resolve(place.callId, resolution, { by: 'second' })

      expect(answer).toMatchObject({ verdict, message: expect.any(String) })
      expect(session.events.length > before).toBe(verdict === 'accepted')
      if (verdict === 'conflict' || verdict === 'duplicate') expect(answer.first).toMatchObject({ by: 'first' })
      expectSound(session, place.model)
    }
  },
)

test.each([[''], ['missing'], ['__proto__'], ['constructor'], [null], [undefined], [7], [{}]])(
  'an id that does not exist (%j) is unknown, and nothing changes',
  async (id) => {
    const { session } = await held('gated')
    const before = types(session)

    for (const resolution of [approve, reject, say])
      expect(await session.resolve(id as string, resolution)).toMatchObject({ verdict: 'unknown' })
    expect(types(session)).toEqual(before)
  },
)

test('a call that never waited is unknown, running or done', async () => {
  const { agent } = desk([{ calls: [call('free', { n: 1 })] }, 'Done.'], { tools })
  const { session, steps } = await chat(agent, 'Go')

  expect(await session.approve(steps[0]!.calls[0]!.callId)).toMatchObject({ verdict: 'unknown' })
})

test('an answer that the schema cleans is a duplicate when it comes again as it was sent', async () => {
  const cleaned = tool({
    name: 'cleaned',
    description,
    input,
    output: z.object({ day: z.string().trim() }),
    executor: 'human',
  })
  const { agent } = desk([{ calls: [call('cleaned', { n: 1 })] }, 'ok'], { tools: [cleaned] })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'cleaned')
  const sent = { day: ' Monday ', note: 'extra' }

  expect(await session.answer(callId, sent)).toMatchObject({ verdict: 'accepted' })
  expect(await session.answer(callId, sent)).toMatchObject({ verdict: 'duplicate' })
  expect(await session.answer(callId, { day: 'Tuesday' })).toMatchObject({ verdict: 'conflict' })
})

test('the same answer with its keys in another order is the same answer', async () => {
  const { agent } = desk([{ calls: [call('any')] }], {
    tools: [tool({ name: 'any', description, input: z.object({}), executor: 'human' })],
  })
  const { session } = await chat(agent, 'Go')
  const callId = idOf(session, 'any')
  await session.answer(callId, { a: 1, b: [{ c: 2, d: 3 }] })

  expect(await session.answer(callId, { b: [{ d: 3, c: 2 }], a: 1 })).toMatchObject({ verdict: 'duplicate' })
})
