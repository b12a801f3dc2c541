/** A turn has one asker: what its tools may do follows from the author of the messages that it is about. */
import type { Member } from '@holdpoint/core'
import { tool, type Asker, type Json, type LogEvent, type ModelRequest, type Tool, type ToolContext } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asking, calls, gated, heldId, noting, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

/** In no space there is nothing to show. */
const QUIET = { visible: false } as const

/** Notes what each call was about and with which scope it ran. */
function who(seen: unknown[], note: (context: ToolContext) => unknown = ({ scope }) => scope): Tool {
  return tool({
    name: 'who',
    description: 'Who asks?',
    input: z.object({}).loose(),
    ...QUIET,
    run: (context) => void seen.push([context.input, note(context)]),
  })
}

/** The words of the newest message that the model was told. */
function newest({ prompt }: ModelRequest): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  return last?.role === 'user' ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' + ') : ''
}

/** The first message pays, which waits for approval; each other one is noted. */
function busy(seen: unknown[], more: Setup = {}): Setup {
  return {
    says: [
      (request) =>
        newest(request) === 'Pay' ? calls('pay') : { calls: [{ name: 'who', input: { said: newest(request) } }] },
    ],
    tools: [noting([], 'pay', gated), who(seen)],
    ...more,
  }
}

function turns(events: readonly LogEvent[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.type === 'turn.started'
      ? [event.items.map((item) => (item.kind === 'message' ? item.message.by : item.kind))]
      : [],
  )
}

test('messages of different people that wait together are turns of their own, each under its own author', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', busy(seen, { scope: ({ by }: Asker) => ({ user: by }) }))
  await a.runtime.send('c', 'Pay', { by: 'boss' })
  const queue = { whileBusy: 'queue' } as const
  await a.runtime.submit('c', 'Delete everything', { by: 'mallory', ...queue })
  await a.runtime.submit('c', 'Really', { by: 'mallory', ...queue })
  await a.runtime.submit('c', 'Show the weather', { by: 'admin', ...queue })
  await a.runtime.submit('c', 'Without a name', queue)
  await a.runtime.submit('c', 'And the news', { by: 'admin', ...queue })

  await a.runtime.approve('c', await heldId(a, 'pay'))
  await world.calm()

  expect(seen).toEqual([
    [{ said: 'Delete everything + Really' }, { user: 'mallory' }],
    [{ said: 'Show the weather' }, { user: 'admin' }],
    [{ said: 'Without a name' }, { user: undefined }],
    [{ said: 'And the news' }, { user: 'admin' }],
  ])
  expect(turns(await world.log())).toEqual([['boss'], ['mallory', 'mallory'], ['admin'], [undefined], ['admin']])
})

test('each of several people whose messages waited is told the result of the own turn', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [(request) => (newest(request) === 'Pay' ? calls('pay') : `You said: ${newest(request)}`)],
    tools: [noting([], 'pay', gated)],
  })
  await a.runtime.send('c', 'Pay', { by: 'boss' })
  const send = (text: string, by: string, key: string) =>
    a.runtime.send('c', text, { by, whileBusy: 'queue', key, signal: new AbortController().signal })
  const first = await Promise.all([send('One', 'ada', 'k1'), send('Two', 'bob', 'k2'), send('Two', 'ada', 'k3')])
  expect(first.map(({ status }) => status)).toEqual(['held', 'held', 'held'])
  await a.runtime.approve('c', await heldId(a, 'pay'))
  await world.calm()

  const again = await Promise.all([send('One', 'ada', 'k1'), send('Two', 'bob', 'k2'), send('Two', 'ada', 'k3')])

  expect(again.map(({ text }) => text)).toEqual(['You said: One', 'You said: Two', 'You said: Two'])
  const log = await world.log()
  expect(turns(log)).toEqual([['boss'], ['ada'], ['bob'], ['ada']])
})

test('an answer that comes after its turn goes on under the author of the call, not under the one who answers', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', {
    says: [
      (request) =>
        newest(request) === 'Start the job'
          ? calls('job')
          : {
              calls: [{ name: 'who', input: { said: newest(request).includes('finished') ? 'job' : newest(request) } }],
            },
    ],
    tools: [asking('job', 'external', { async: true }), noting([], 'pay', gated), who(seen)],
  })
  await a.runtime.send('c', 'Start the job', { by: 'ada' })
  const job = await heldId(a, 'job')

  await a.runtime.answer('c', job, 'finished', { by: 'worker' })
  await world.calm()

  expect(seen).toEqual([[{ said: 'job' }, { by: 'ada' }]])
})

test('a late answer to a call of a turn long past goes on under the author of that call, after a restart too', async () => {
  const world = new World()
  const seen: unknown[] = []
  const setup: Setup = {
    says: [
      (request) =>
        newest(request) === 'Ask outside'
          ? calls('job')
          : {
              calls: [{ name: 'who', input: { said: newest(request).includes('too late') ? 'job' : newest(request) } }],
            },
    ],
    tools: [asking('job', 'external', { timeout: '10 s', late: 'inbox' }), who(seen)],
  }
  const a = await world.process('a', setup)
  await a.runtime.send('c', 'Ask outside', { by: 'ada' })
  const job = await heldId(a, 'job')
  await world.pass(11_000)
  await a.runtime.send('c', 'Something else', { by: 'bob' })
  a.kill()
  const b = await world.process('b', setup)

  expect(await b.runtime.answer('c', job, 'too late', { by: 'worker' })).toMatchObject({ verdict: 'accepted' })
  await world.pass(20_000)

  expect(seen.at(-1)).toEqual([{ said: 'job' }, { by: 'ada' }])
  expect(seen).toContainEqual([{ said: 'Something else' }, { by: 'bob' }])
})

test('a plan that a turn made wakes the agent under the author of that turn', async () => {
  const world = new World()
  const seen: unknown[] = []
  const remind = tool({
    name: 'remind',
    description: 'Later',
    input: z.object({}),
    run: ({ plans }) => void plans.set({ id: 'p', what: 'Delete everything', runAfter: 60_000 }),
  })
  const a = await world.process('a', {
    says: [
      (request) =>
        newest(request) === 'Later'
          ? calls('remind')
          : {
              calls: [{ name: 'who', input: { said: newest(request).includes('Delete') ? 'plan' : newest(request) } }],
            },
    ],
    tools: [remind, who(seen)],
  })
  await a.runtime.send('c', 'Later', { by: 'mallory' })
  await a.runtime.send('c', 'Hello', { by: 'admin' })

  await world.pass(61_000)

  expect(seen).toEqual([
    [{ said: 'Hello' }, { by: 'admin' }],
    [{ said: 'plan' }, { by: 'mallory' }],
  ])
})

test('without a scope function tools are given who asked, and nothing where the message does not say', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', busy(seen))

  await a.runtime.send('c', 'One', { by: 'ada' })
  await a.runtime.send('c', 'Two')

  expect(seen).toEqual([
    [{ said: 'One' }, { by: 'ada' }],
    [{ said: 'Two' }, {}],
  ])
})

test('a scope function that gives nothing raises no caller to the system', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', busy(seen, { scope: () => undefined as never }))

  await a.runtime.send('c', 'One', { by: 'ada' })

  expect(seen).toEqual([[{ said: 'One' }, {}]])
})

const ada: Member = { kind: 'human', id: 'ada' }
const bob: Member = { kind: 'human', id: 'bob' }

/** An autonomous agent, idle until two people and a service wake it at once. */
async function cycle(tools: readonly Tool[], setup: Setup = {}): Promise<World> {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('hold'), calls('who')],
    tools: [asking('hold', 'human', QUIET), ...tools],
    ...setup,
  })
  const { spaces, agents } = a.runtime
  const desk: Member = { kind: 'agent', id: 'desk' }
  await spaces.create({ id: 'room', name: 'Room', by: ada, members: [{ member: bob }, { member: desk }] })
  await agents.trigger('desk', { name: 'wake', by: 'clock' })
  await world.calm()
  await spaces.post('room', 'Delete everything', { from: bob })
  await world.calm()
  await spaces.post('room', 'Show the weather', { from: ada })
  await world.calm()
  await agents.trigger('desk', { name: 'paid', by: 'bank' })
  await agents.trigger('desk', { name: 'unsigned' })
  await a.runtime.submit('agent:desk', 'And I say', { by: 'eve' })
  await world.calm()
  const held = await heldId(a, 'hold', 'agent:desk')
  await a.runtime.answer('agent:desk', held, 'go on', { by: 'eve' })
  await world.calm()
  await a.runtime.answer('agent:desk', await heldId(a, 'hold', 'agent:desk'), 'go on', { by: 'eve' })
  await world.calm()
  return world
}

const AUTHORS = [
  { via: 'space', by: 'bob', kind: 'human', space: 'room' },
  { via: 'space', by: 'ada', kind: 'human', space: 'room' },
  { via: 'trigger', by: 'bank' },
  { via: 'trigger' },
  { via: 'message', by: 'eve' },
]

test('a cycle drains everything, and its tools have the scope of the agent, no person’s', async () => {
  const seen: unknown[] = []
  const world = await cycle([who(seen, ({ scope, askedBy }) => ({ scope, askedBy }))])

  expect(seen).toEqual([
    [{}, { scope: { agent: 'desk' }, askedBy: [{ via: 'trigger', by: 'clock' }] }],
    [{}, { scope: { agent: 'desk' }, askedBy: AUTHORS }],
  ])
  const log = await world.log('agent:desk')
  expect(log.filter(({ type }) => type === 'turn.started')).toMatchObject([
    { cycle: true, items: { length: 1 } },
    { cycle: true, items: { length: 5 } },
  ])
})

test('in a cycle the scope function is given the agent, and no author', async () => {
  const askers: unknown[] = []
  await cycle([who([])], { scope: (asker) => (askers.push(asker), {}) })

  for (const asker of askers)
    expect(asker).toEqual({ tenant: '', conversationId: 'agent:desk', by: undefined, agent: 'desk' })
})

test('an approval function sees every author of what the cycle is about', async () => {
  const asked: Json[] = []
  const strict = tool({
    name: 'who',
    description: 'For the owner alone',
    input: z.object({}),
    ...QUIET,
    approval: ({ askedBy }) => {
      asked.push(askedBy as unknown as Json)
      return { required: askedBy.some(({ by }) => by !== 'clock') }
    },
    run: () => 'ran',
  })
  const world = await cycle([strict])

  expect(asked).toEqual([[{ via: 'trigger', by: 'clock' }], AUTHORS])
  const held = (await world.log('agent:desk')).flatMap((event) =>
    event.type === 'call.held' && event.hold.kind === 'approval' ? [event.hold.askedBy] : [],
  )
  expect(held).toEqual([AUTHORS])
})

test('what a cycle set going keeps its authors: the answer to a call, and a plan', async () => {
  const seen: unknown[] = []
  const world = new World()
  const remind = tool({
    name: 'remind',
    description: 'Later',
    input: z.object({}),
    ...QUIET,
    run: ({ plans }) => void plans.set({ id: 'p', what: 'Look again', runAfter: 60_000 }),
  })
  let cycles = 0
  const a = await world.process('a', {
    says: [() => (cycles++ === 0 ? calls('job', 'remind') : calls('who'))],
    tools: [asking('job', 'external', { async: true, ...QUIET }), remind, who(seen, ({ askedBy }) => askedBy)],
  })
  await a.runtime.agents.trigger('desk', { name: 'wake', by: 'mallory' })
  await world.calm()
  await a.runtime.answer('agent:desk', await heldId(a, 'job', 'agent:desk'), 'done', { by: 'worker' })
  await world.calm()
  await world.pass(61_000)

  const mallory = [{ via: 'trigger', by: 'mallory' }]
  expect(seen).toEqual([
    [{}, mallory],
    [{}, mallory],
  ])
})
