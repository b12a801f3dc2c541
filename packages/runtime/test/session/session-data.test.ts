import { memoryStore, proves } from '@holdpoint/testing'
import { askUser, HoldpointError, Session, tool } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, idOf, saved, until } from '../../../../test/kit/session-kit.ts'

const input = z.object({ n: z.number().optional() })
const description = 'For a test'
const tools = [
  tool({ name: 'pay', description, input, approval: { required: true, approvers: 2 }, run: () => 'paid' }),
  tool({ name: 'ship', description, input, executor: 'external', approval: 'required' }),
  tool({ name: 'ask', description, input, run: () => askUser('Which?', { a: [1] }) }),
  tool({ name: 'job', description, input, executor: 'external', async: true }),
  tool({ name: 'ok', description, input, run: () => 'ok' }),
]

interface Data {
  version: unknown
  id: unknown
  events: Record<string, unknown>[]
}

/** A session in which everything has happened that can. */
async function eventful(): Promise<Data> {
  const { agent } = desk(
    [
      {
        reasoning: 'hm',
        text: 'Well.',
        calls: ['pay', 'ship', 'ask', 'job', 'ok'].map((name) => call(name, { n: 1 })),
      },
      'Done.',
      'Fine.',
      { calls: [call('pay')] },
    ],
    { tools },
  )
  const session = await Session.open(agent)
  await session.send('Go')
  await session.send('And then?', { whileBusy: 'queue', by: 'ada' })
  await session.approve(idOf(session, 'pay'), { by: 'ada' })
  await session.approve(idOf(session, 'pay'), { by: 'bob' })
  await session.approve(idOf(session, 'ship'), { input: { n: 2 } })
  await session.answer(idOf(session, 'ship'), 'sent')
  await session.answer(idOf(session, 'job'), { done: true }, { by: 'worker' })
  await session.reject(idOf(session, 'ask'), 'no')
  await session.continue()
  await session.send('Once more')
  await until(() => session.holds.length === 1)
  return saved(session).data as Data
}
const good = await eventful()
const copy = (): Data => structuredClone(good)
const open = (data: unknown): Promise<Session> =>
  Session.open(desk(['a', 'b', 'c', 'd'], { tools, process: 'q' }).agent, { data })

test('the session that is spoilt below is good, and has events of every type but two', async () => {
  const session = await open(copy())

  expect(session.holds).toHaveLength(1)
  const types = new Set(session.events.map(({ type }) => type))
  expect([...types].toSorted()).toEqual([
    'answer.arrived',
    'call.approved',
    'call.endorsed',
    'call.held',
    'call.settled',
    'call.started',
    'message.queued',
    'model.replied',
    'turn.started',
  ])
})

const spoilt: Readonly<Record<string, (data: Data) => unknown>> = {
  'no object': () => 'a session',
  null: () => null,
  'a list': () => [],
  'an empty object': () => ({}),
  'a later version': (data) => ({ ...data, version: 2 }),
  'no version': ({ version: _version, ...data }) => data,
  'no id': (data) => ({ ...data, id: '' }),
  'events that are no list': (data) => ({ ...data, events: { length: 1 } }),
  'a summary without text': (data) => ({ ...data, summary: { upTo: 1 } }),
  'a summary of what is still to come': (data) => ({ ...data, summary: { upTo: 10_000, text: 'x' } }),
  'a summary that is null': (data) => ({ ...data, summary: null }),
  'a hole': (data) => ({ ...data, events: data.events.toSpliced(3, 1) }),
  'two events swapped': (data) => ({ ...data, events: data.events.with(3, data.events[4]!).with(4, data.events[3]!) }),
  'an event twice': (data) => ({ ...data, events: data.events.toSpliced(3, 0, data.events[3]!) }),
  'a first event that is not the first': (data) => ({ ...data, events: data.events.slice(1) }),
  'an unknown type': (data) => ({ ...data, events: data.events.with(0, { ...data.events[0], type: 'turn.invented' }) }),
  'a type out of the prototype': (data) => ({
    ...data,
    events: data.events.with(0, { ...data.events[0], type: 'constructor' }),
  }),
  'an event that is none': (data) => ({ ...data, events: [...data.events, null] }),
  'a seq that is text': (data) => ({ ...data, events: data.events.with(0, { ...data.events[0], seq: '1' }) }),
  'a call settled twice': (data) => {
    const settled = data.events.find(({ type }) => type === 'call.settled')!
    return { ...data, events: [...data.events, { ...settled, seq: data.events.length + 1 }] }
  },
  'a held call that started': (data) => {
    const held = data.events.findLast(({ type }) => type === 'call.held')!
    return {
      ...data,
      events: [
        ...data.events,
        { type: 'call.started', callId: held['callId'], attempt: 1, seq: data.events.length + 1, at: 0 },
      ],
    }
  },
  'a start that skips an attempt': (data) => ({
    ...data,
    events: data.events.map((event) => (event['type'] === 'call.started' ? { ...event, attempt: 2 } : event)),
  }),
}

test.each(Object.entries(spoilt))(
  proves('bad-input.nothing-half-written', 'saved data with %s is refused with what is wrong'),
  async (_what, spoil) => {
    const error = await open(spoil(copy())).catch((thrown: unknown) => thrown)

    expect(HoldpointError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'session-invalid', message: expect.stringContaining('not a saved session') })
  },
)

test('a damaged log in a store stops the conversation loudly', async () => {
  const events = copy().events.toSpliced(3, 1)
  const store = memoryStore({ now: () => 0, log: { id: 'c1', events: events as never } })

  await expect(Session.open(desk([], { tools }).agent, { store, id: 'c1' })).rejects.toMatchObject({
    code: 'history-impossible',
  })
})

/** Every place in the data, as a path of keys. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inside = Object.entries(value).flatMap(([key, member]) =>
    places(member, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return path.length === 0 ? inside : [path, ...inside]
}

function put(
  root: unknown,
  path: readonly (string | number)[],
  change: (holder: Record<string | number, unknown>, key: string | number) => void,
): void {
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], root)
  change(holder as Record<string | number, unknown>, path.at(-1)!)
}

const everywhere = places(good)
const nonsense = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1e21, 1.5, '', 'x', true, [], {}, [null], { type: 'call' }, { kind: 'answer' }),
  fc.jsonValue({ maxDepth: 2 }),
)
const damage = fc.record({
  path: fc.constantFrom(...everywhere),
  how: fc.constantFrom('remove', 'replace', 'disturb', 'disturb'),
  value: nonsense,
  text: fc.string({ maxLength: 3 }),
  number: fc.oneof(fc.nat({ max: 40 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
})

/** Another value of the same type: what no check of types can find. */
function disturbed(value: unknown, text: string, number: number): unknown {
  if (typeof value === 'string') return text
  if (typeof value === 'number') return number
  if (typeof value === 'boolean') return !value
  return Array.isArray(value) ? value.toReversed().slice(1) : {}
}

/** Uses a session in every way there is, so that nothing wrong in its data stays unseen. */
async function useAll(data: unknown): Promise<void> {
  const session = await open(data)
  void [session.status, JSON.stringify(session), session.state]
  for (const { callId } of session.holds) {
    await session.resolve(callId, { kind: 'answer', value: 1 }, { by: 'eve' })
    await session.resolve(callId, { kind: 'approve' }, { by: 'eve' })
    await session.resolve(callId, { kind: 'reject' })
  }
  for (const event of session.events)
    if ('callId' in event) await session.resolve(event.callId, { kind: 'answer', value: 2 })
  await session.continue()
  await session.cancel()
}

test(
  proves(
    'bad-input.nothing-half-written',
    'data with wrong values anywhere is refused, or opens and can be used; it never breaks our code',
  ),
  async () => {
    let refused = 0
    let used = 0
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        const data = copy()
        for (const { path, how, value, text, number } of damages) {
          try {
            put(data, path, (holder, key) => {
              if (how === 'remove') delete holder[key]
              else holder[key] = how === 'replace' ? structuredClone(value) : disturbed(holder[key], text, number)
            })
          } catch {
            // an earlier change took this place away
          }
        }
        try {
          await useAll(data)
          used++
        } catch (error) {
          if (!HoldpointError.is(error)) throw error
          expect(['session-invalid', 'history-impossible']).toContain(error.code)
          refused++
        }
      }),
      { numRuns: 1500 },
    )
    expect(refused).toBeGreaterThan(100)
    expect(used).toBeGreaterThan(50)
  },
  240_000,
)

test('each single place of the data may be missing, and our code does not break', async () => {
  const broken: unknown[] = []
  for (const path of everywhere) {
    const data = copy()
    put(data, path, (holder, key) => delete holder[key])
    await useAll(data).catch((error: unknown) => {
      if (!HoldpointError.is(error)) broken.push([path, error])
    })
  }
  expect(broken).toEqual([])
})
