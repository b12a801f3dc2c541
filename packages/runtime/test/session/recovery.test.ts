import { memoryStore, proves } from '@holdpoint/testing'
import { askUser, definePlugin, Session, tool, type Store, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { byProgress, finish, recordingStore, reopen, settledIn } from './crash.ts'
import { call, desk, expectSound, inTime, outcomes } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 })

/** The tools of one process; `ran` has the id of every handler run in it. */
function toolsOf(ran: string[]): Tool[] {
  const run =
    (value: string) =>
    ({ call: { id } }: { call: { id: string } }) => (ran.push(id), value)
  return [
    tool({ name: 'a', description, input, run: run('a') }),
    tool({ name: 'b', description, input, run: run('b') }),
    tool({ name: 'gated', description, input, approval: 'required', run: run('gated') }),
    tool({ name: 'worker', description, input, executor: 'external', approval: 'required' }),
    tool({ name: 'ask', description, input, run: ({ call: { id } }) => (ran.push(id), askUser('Which?')) }),
    tool({
      name: 'count',
      description,
      input,
      run: async ({ state, call: { id } }) => {
        ran.push(id)
        await state.set(counter, (state.get(counter) ?? 0) + 1)
        return state.get(counter)
      },
    }),
  ]
}
const replies = [
  { calls: ['a', 'gated', 'worker', 'b'].map((name) => call(name)) },
  { text: 'Hm.', calls: [call('ask'), call('count')] },
  { calls: [call('count')] },
  'All done.',
]
const answerAll = async (session: Session, { callId, accepts }: Session['holds'][number]): Promise<void> => {
  await (accepts.includes('approve') ? session.approve(callId) : session.answer(callId, 'answered'))
}

async function wholeRun() {
  const { store, prefixes } = recordingStore()
  const ran: string[] = []
  const session = await Session.open(desk(byProgress(replies), { tools: toolsOf(ran), plugins: [counter] }).agent, {
    store,
    id: 'c',
  })
  await session.send('Go')
  await finish(session, answerAll)
  return { session, prefixes, ran }
}

test(
  proves(
    'call.never-after-outcome',
    'call.same-id-on-retry',
    'call.one-outcome',
    'log.fold-equals-live',
    'a process that dies after any write: the next one comes to the same end, and runs no finished call again',
  ),
  async () => {
    const { session: undisturbed, prefixes } = await wholeRun()
    expect(prefixes.length).toBeGreaterThan(12)
    let unfinished = 0

    for (const [index, prefix] of prefixes.entries()) {
      const ran: string[] = []
      const { agent, model } = desk(byProgress(replies), {
        tools: toolsOf(ran),
        plugins: [counter],
        process: `q${index}`,
      })
      const session = await reopen(agent, prefix)
      const done = settledIn(prefix)
      const started = new Set(prefix.events.flatMap((event) => (event.type === 'call.started' ? [event.callId] : [])))

      await finish(session, answerAll)

      expect(session.status).toBe('completed')
      expect(outcomes(session)).toEqual(outcomes(undisturbed))
      expect(session.state.plugins).toEqual({ counter: 2 })
      expect(ran.filter((id) => done.has(id))).toEqual([])
      expect(new Set(ran).size).toBe(ran.length)
      unfinished += ran.filter((id) => started.has(id)).length
      expectSound(session, model)
    }
    expect(unfinished).toBeGreaterThan(4)
  },
)

test('processes that live for two writes each get to the end together', async () => {
  const ran: string[] = []
  const inner = memoryStore({ now: () => 0 })
  let lives = 0
  for (let status = 'idle'; status !== 'completed' && lives < 100; lives++) {
    const { store, died } = mortal(inner, 2)
    const session = await Session.open(
      desk(byProgress(replies), { tools: toolsOf(ran), plugins: [counter], process: `q${lives}` }).agent,
      { store, id: 'c' },
    )
    await Promise.race([died, session.events.length === 0 ? session.send('Go') : finish(session, answerAll)])
    status = session.status
  }

  const session = await Session.open(desk([], { tools: toolsOf([]) }).agent, { store: inner, id: 'c' })
  expect(lives).toBeGreaterThan(5)
  expect(session.status).toBe('completed')
  expect(Object.keys(outcomes(session)).toSorted()).toEqual(['a', 'ask', 'b', 'count', 'gated', 'worker'])
  expectSound(session)
})

/** A store whose process is gone after so many writes: the next one is never heard of. */
function mortal(inner: Store, writes: number): { readonly store: Store; readonly died: Promise<void> } {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  let left = writes
  const append: Store['append'] = async (write) => {
    if (left-- > 0) return inner.append(write)
    resolve()
    return new Promise<never>(() => {})
  }
  return { store: { ...inner, append }, died }
}

test('a log that ends in the message runs the model, and one that ends in a reply without its end does not', async () => {
  const { prefixes } = await wholeRun()
  const first = desk(byProgress(['Hello.']), { process: 'q' })

  const session = await reopen(first.agent, prefixes[0]!)
  await session.continue()

  expect(first.model.requests).toHaveLength(1)
  const last = desk([], { process: 'r', tools: toolsOf([]) })
  const over = await reopen(last.agent, prefixes.at(-1)!)
  await over.continue()
  expect(last.model.requests).toHaveLength(0)
})

test('calls of the same id are told which attempt this is', async () => {
  const attempts: [string, number][] = []
  const flaky = tool({
    name: 'flaky',
    description,
    input,
    run: ({ call: { id, attempt } }) => (attempts.push([id, attempt]), 'ok'),
  })
  const { store, prefixes } = recordingStore()
  const session = await Session.open(desk([{ calls: [call('flaky')] }, 'ok'], { tools: [flaky] }).agent, {
    store,
    id: 'c',
  })
  await session.send('Go')
  const running = prefixes.find(({ events }) => events.at(-1)?.type === 'call.started')!

  const again = await reopen(desk(['ok'], { tools: [flaky], process: 'q' }).agent, running)
  await again.continue()

  const [id] = attempts[0]!
  expect(attempts).toEqual([
    [id, 1],
    [id, 2],
  ])
})

test('a store that wrote but could not say so: the answer is there, and saying it again is a duplicate', async () => {
  const { store } = recordingStore()
  let fail = false
  const unsure = {
    ...store,
    append: async (write: Parameters<typeof store.append>[0]) => {
      const written = await store.append(write)
      if (fail) throw new Error('connection lost')
      return written
    },
  }
  const { agent, clock } = desk([{ calls: [call('gated')] }, 'ok'], { tools: toolsOf([]) })
  const session = await Session.open(agent, { store: unsure, id: 'c' })
  const { holds } = await session.send('Go')

  fail = true
  await expect(inTime(clock, session.approve(holds[0]!.callId))).rejects.toThrow('connection lost')
  fail = false

  expect(await session.approve(holds[0]!.callId)).toMatchObject({ verdict: 'duplicate' })
  expect(await session.continue()).toMatchObject({ status: 'done' })
})
