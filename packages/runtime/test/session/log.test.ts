import { manualClock, memoryStore, proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { HoldpointError, Session, tool, type LogEvent, type Store, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConversationLog } from '../../src/conversation/conversation-log.ts'
import { troubledStore, type Trouble } from './crash.ts'
import { addressOf, call, desk, inTime, live, portsOf, say, tick, until } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const opened = { type: 'conversation.opened', agent: 'desk' } as const
const noted = (value: number) => ({ type: 'state.changed', plugin: 'notes', value }) as const

/** A tool that takes as long as the test wants. */
function slowTool(): { readonly slow: Tool; readonly release: () => void; readonly ran: string[] } {
  const done = Promise.withResolvers<void>()
  const ran: string[] = []
  const run = async ({ call: { id } }: { call: { id: string } }): Promise<string> => {
    ran.push(id)
    await done.promise
    return 'done'
  }
  return { slow: tool({ name: 'slow', description, input, onLost: 'fail', run }), release: done.resolve, ran }
}

function typesOf(events: readonly LogEvent[]): readonly string[] {
  return events.map(({ type }) => type)
}

const passing: Readonly<Record<string, readonly Trouble[]>> = {
  'wrote, and cannot say so': ['unknown, but written'],
  'did not write, and cannot say so': ['unknown'],
  'broke off after it wrote': ['thrown, but written'],
  'broke off before it wrote': ['thrown'],
  'fails for a while': Array.from({ length: 8 }, () => 'failed' as const),
  'is in every kind of trouble': ['failed', 'unknown', 'thrown', 'unknown, but written', 'failed', 'thrown'],
}

test.each(Object.entries(passing))(
  proves('log.no-gaps', 'a store that %s: the message is written once, and its sender sees no error'),
  async (_what, troubles) => {
    const { store, asked } = troubledStore(troubles)
    const clock = manualClock()
    const log = new ConversationLog(addressOf('c'), store, portsOf('p', clock))

    expect(await inTime(clock, log.append([opened]))).toBe('ok')

    expect(await store.read(addressOf('c'), 0)).toMatchObject([{ ...opened, seq: 1 }])
    expect(log.state).toMatchObject({ seq: 1, agent: 'desk' })
    expect(asked).toHaveLength(troubles.length + 1)
    expect(new Set(asked.map(({ mark }) => mark)).size).toBe(1)
  },
)

test('an unconfirmed write is found again although others wrote after it', async () => {
  const { store } = troubledStore(['unknown, but written'])
  const clock = manualClock()
  const [one, other] = ['p', 'q'].map((process) => new ConversationLog(addressOf('c'), store, portsOf(process, clock)))
  const writing = one!.append([opened])
  await until(() => clock.sleeping === 1)
  await other!.refresh()
  expect(await other!.append([noted(1)])).toBe('ok')

  expect(await inTime(clock, writing)).toBe('ok')

  await one!.refresh()
  expect(typesOf(one!.events)).toEqual(['conversation.opened', 'state.changed'])
  expect(await store.read(addressOf('c'), 0)).toEqual(one!.events)
})

test('a write that did not happen meets what others wrote meanwhile as a conflict, like any other', async () => {
  const { store } = troubledStore(['unknown'])
  const clock = manualClock()
  const [one, other] = ['p', 'q'].map((process) => new ConversationLog(addressOf('c'), store, portsOf(process, clock)))
  const writing = one!.append([opened])
  await until(() => clock.sleeping === 1)
  await other!.append([{ ...opened, agent: 'other' }])

  expect(await inTime(clock, writing)).toBe('conflict')

  expect(one!.state).toMatchObject({ seq: 1, agent: 'other' })
})

test('of two writes of one process at the same place one is a conflict, and is not taken for the other', async () => {
  const log = new ConversationLog(addressOf('c'), memoryStore({ now: () => 0 }), portsOf('p', manualClock()))
  await log.append([opened])

  expect(await Promise.all([log.append([noted(1)]), log.append([noted(2)])])).toEqual(['ok', 'conflict'])

  expect(log.events).toMatchObject([opened, noted(1)])
})

test('two processes whose ids begin alike do not take the writes of each other for their own', async () => {
  const store = memoryStore({ now: () => 0 })
  const clock = manualClock()
  const [one, other] = ['worker-number-1', 'worker-number-2'].map(
    (process) => new ConversationLog(addressOf('c'), store, portsOf(process, clock)),
  )

  expect(await one!.append([opened])).toBe('ok')
  expect(await other!.append([{ ...opened, agent: 'other' }])).toBe('conflict')
})

test.each<[Trouble, RegExp]>([
  ['failed', /Nothing was written.*the disk is full/],
  ['unknown', /not known whether this was written.*connection lost/],
  ['thrown', /not known whether this was written.*connection lost/],
])('a sender to a store that stays %s is told after a while', async (trouble, words) => {
  const troubles = Array.from({ length: 1000 }, () => trouble)
  const { store, asked } = troubledStore(troubles)
  const clock = manualClock()
  const log = new ConversationLog(addressOf('c'), store, portsOf('p', clock), { patienceMs: 5000 })
  const start = clock.now()
  const writing = log.append([opened])
  let told: number | undefined
  writing.catch(() => (told = clock.now() - start))

  const error = await inTime(clock, writing).catch((thrown: unknown) => thrown)

  expect(HoldpointError.is(error) && error.code).toBe('store-unavailable')
  expect(error).toMatchObject({ message: expect.stringMatching(words) })
  expect(told).toBeGreaterThanOrEqual(5000)
  expect(told).toBeLessThan(10_000)
  expect(asked.length).toBeGreaterThan(5)
  expect(log.state.seq).toBe(0)
})

test('a store that takes long to refuse uses up the time limit of the waiting caller', async () => {
  const clock = manualClock()
  const slow = async (): Promise<never> => {
    await clock.sleep(5000, new AbortController().signal)
    throw new Error('connection lost')
  }
  const log = new ConversationLog(
    addressOf('c'),
    { ...memoryStore({ now: () => 0 }), append: slow },
    portsOf('p', clock),
  )
  const start = clock.now()
  let told: number | undefined
  const writing = log.append([opened])
  writing.catch(() => (told = clock.now() - start))

  await expect(inTime(clock, writing)).rejects.toThrow('connection lost')

  expect(told).toBeGreaterThanOrEqual(10_000)
  expect(told).toBeLessThan(16_000)
})

test(
  proves('call.never-after-outcome', 'a driver never gives up on what a tool did: the result waits for the store'),
  async () => {
    const { slow, release, ran } = slowTool()
    let away = false
    const inner = memoryStore({ now: () => 0 })
    const store: Store = {
      ...inner,
      append: async (write) => (away ? { result: 'failed', why: 'away' } : inner.append(write)),
    }
    const { agent, clock } = desk([{ calls: [call('slow')] }, 'Done.'], { tools: [slow] })
    const session = await Session.open(agent, { store, id: 'c' })
    const sent = session.send('Go')
    await until(() => ran.length === 1)
    away = true
    release()
    for (let minutes = 0; minutes < 60; minutes++) await clock.advance(60_000)
    expect(await Promise.race([sent, tick()])).toBeUndefined()

    away = false
    expect(await inTime(clock, sent)).toMatchObject({ status: 'done', text: 'Done.' })

    expect(ran).toHaveLength(1)
    expect(await store.read(addressOf('c'), 0)).toMatchObject([
      { type: 'turn.started' },
      { type: 'model.replied' },
      { type: 'call.started' },
      { type: 'call.settled', outcome: { ok: true, value: 'done' } },
      { type: 'model.replied' },
    ])
  },
)

const trouble = fc.constantFrom<Trouble>(
  'fine',
  'fine',
  'failed',
  'unknown',
  'unknown, but written',
  'thrown',
  'thrown, but written',
)

test(
  proves(
    'log.no-gaps',
    'hold.resolves-once',
    'call.one-outcome',
    'whatever trouble a store is in, a conversation goes as it would have gone without',
  ),
  async () => {
    const ran: string[] = []
    const tools = [
      tool({ name: 'pay', description, input, approval: 'required', run: ({ call: { id } }) => ran.push(id) }),
      tool({ name: 'look', description, input, run: ({ call: { id } }) => ran.push(id) }),
    ]
    const wholeRun = async (troubles: readonly Trouble[]): Promise<readonly LogEvent[]> => {
      ran.length = 0
      const { store } = troubledStore(troubles)
      const { agent, clock } = desk([{ calls: [call('look'), call('pay')] }, 'Paid.', 'Bye.'], { tools })
      const session = await Session.open(agent, { store, id: 'c' })
      const { holds } = await inTime(clock, session.send('Go'))
      expect(await inTime(clock, session.approve(holds[0]!.callId))).toMatchObject({ verdict: 'accepted' })
      expect(await inTime(clock, session.continue())).toMatchObject({ status: 'done', text: 'Paid.' })
      expect(await inTime(clock, session.send('Thanks'))).toMatchObject({ status: 'done', text: 'Bye.' })
      expect(await store.read(addressOf('c'), 0)).toEqual(session.events)
      expect(ran).toHaveLength(2)
      return session.events
    }
    const undisturbed = typesOf(await wholeRun([]))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(trouble, { maxLength: 6 }), { maxLength: 12, size: 'max' }),
        async (spells) => {
          const troubles = spells.flatMap((spell): readonly Trouble[] => [...spell, 'fine'])
          expect(typesOf(await wholeRun(troubles))).toEqual(undisturbed)
        },
      ),
      { numRuns: 200, seed: 11 },
    )
  },
  240_000,
)

/** A conversation that node `a` drives, with a call running; and `b`, which takes it over. */
async function takenOver() {
  const { slow, release, ran } = slowTool()
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  for (const node of ['a', 'b']) await store.beat(node, 60_000)
  const scripts = [{ calls: [call('slow')] }, 'By a.']
  const a = await live(desk(scripts, { tools: [slow], clock, process: 'a' }).agent, store, { node: 'a' })
  const sent = say(a, 'Go')
  await until(() => ran.length === 1)
  expect(a.log.epoch).toBe(1)
  const b = await live(desk(['By b.'], { tools: [slow], clock, process: 'b' }).agent, store, { node: 'b' })
  expect(await store.takeOver(addressOf('c'), 'b')).toBeUndefined()
  await store.leave('a')
  const epoch = await store.takeOver(addressOf('c'), 'b')
  expect(epoch).toBe(2)
  await b.log.takeOver(epoch ?? 0, new AbortController())
  const written = async (): Promise<readonly string[]> => typesOf(await store.read(addressOf('c'), 0))
  return { a, b, sent, release, ran, written }
}

test(
  proves('call.one-outcome', 'a driver whose conversation was taken over stops, and nothing it brings is written'),
  async () => {
    const { a, b, sent, release, ran, written } = await takenOver()
    const before = await written()

    release()
    await sent

    expect(await written()).toEqual(before)
    expect(a.driver).toBeUndefined()
    expect(a.log.epoch).toBeUndefined()
    await b.drive('all')
    expect(await written()).toEqual([...before, 'call.settled', 'model.replied'])
    expect(b.log.events).toContainEqual(expect.objectContaining({ outcome: expect.objectContaining({ ok: false }) }))
    expect(ran).toHaveLength(1)
  },
)

test(
  proves('call.one-outcome', 'what its users say meanwhile gives a driver that was taken over no right to write'),
  async () => {
    const { a, b, sent, release, written } = await takenOver()
    expect(await a.submit('Hello?', { whileBusy: 'queue' })).toMatchObject({ ok: true })
    const before = await written()

    release()
    await sent

    expect(await written()).toEqual(before)
    await b.drive('all').catch(() => {})
    expect(b.log.events).not.toContainEqual(expect.objectContaining({ outcome: { ok: true, value: 'done' } }))
  },
)
