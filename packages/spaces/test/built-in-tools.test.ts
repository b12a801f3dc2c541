/** The built-in tools of autonomous agents, used by one agent over several cycles. */
import type { Json, Member } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { agent, definePlugin, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { LEASE, slow, World } from '../../../test/kit/runtime-kit.ts'
import { diesAfter } from '../../../test/kit/mortal.ts'

const BUILT_IN = [
  'delete_goals',
  'delete_memories',
  'delete_plans',
  'enter_space',
  'get_plans',
  'leave_space',
  'read_messages',
  'send_message',
  'set_goals',
  'set_memories',
  'set_plans',
  'skip',
]

const ada: Member = { kind: 'human', id: 'ada' }
const CALLS: readonly { readonly name: string; readonly input?: { readonly [key: string]: Json } }[] = [
  { name: 'enter_space', input: { space: 'trip' } },
  { name: 'send_message', input: { text: 'I am here', replyTo: 4 } },
  { name: 'read_messages', input: { limit: 1, offset: 0 } },
  { name: 'leave_space' },
  {
    name: 'set_goals',
    input: {
      goals: [
        { id: 'g1', text: 'Be of use' },
        { id: 'g2', text: 'Be quick' },
      ],
    },
  },
  { name: 'delete_goals', input: { ids: ['g2', 'g9'] } },
  {
    name: 'set_memories',
    input: {
      memories: [
        { id: 'm1', text: 'Ada likes trains' },
        { id: 'm2', text: 'It rained' },
      ],
    },
  },
  { name: 'delete_memories', input: { ids: ['m2'] } },
  {
    name: 'set_plans',
    input: {
      plans: [
        { id: 'p1', what: 'Ask Ada', runAfter: '1 hour' },
        { id: 'p2', what: 'x', runAfter: 1000 },
      ],
    },
  },
  { name: 'delete_plans', input: { ids: ['p2'] } },
  { name: 'get_plans' },
]

test('there are twelve, each does what it says, and what an agent keeps is told to it in its next cycle', async () => {
  const world = new World()
  const told: { tools: readonly string[]; prompt: string }[] = []
  const one = await world.process('one', {
    says: [
      ({ tools, prompt }) => {
        told.push({ tools: tools.map(({ name }) => name).toSorted(), prompt: JSON.stringify(prompt) })
        // One after the other: what one call keeps, the next one finds.
        return told.length === 1 ? { calls: CALLS.slice(0, 1) } : 'Well.'
      },
      ...CALLS.slice(1).map((call) => ({ calls: [call] })),
      'That was all.',
    ],
    agent: { maxSteps: 20 },
  })
  const { spaces, agents } = one.runtime
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: { kind: 'agent', id: 'desk' } }] })
  await spaces.post('trip', 'Hello', { from: ada })
  await world.until(async () => (await agents.view('desk')).status === 'asleep' && told.length > 0)

  expect(told[0]?.tools).toEqual(BUILT_IN)
  const outcomes = (await world.log('agent:desk')).flatMap((event) =>
    event.type === 'call.settled' ? [event.outcome] : [],
  )
  expect(outcomes.every(({ ok }) => ok)).toBe(true)
  const values = outcomes.map((outcome) => (outcome.ok ? outcome.value : null))
  expect(values).toMatchObject([
    { space: 'trip', name: 'Trip', messages: [{ from: 'ada', text: 'Hello' }] },
    { sent: true },
    { messages: [{ from: 'desk', text: 'I am here', replyTo: 4 }] },
    { left: 'trip' },
    { goals: expect.anything() as Json },
    { deleted: ['g2'] },
    { memories: expect.anything() as Json },
    { deleted: ['m2'] },
    { plans: expect.anything() as Json },
    { deleted: ['p2'] },
    { plans: [{ id: 'p1', what: 'Ask Ada' }] },
  ])
  expect(await agents.view('desk')).toMatchObject({
    goals: [{ id: 'g1', text: 'Be of use' }],
    memories: [{ id: 'm1', text: 'Ada likes trains' }],
    plans: [{ id: 'p1' }],
    inbox: [],
  })

  // What it did with them in the space is not shown there: only what was said is.
  const shown = (await spaces.view('trip'))?.messages.map((message) => message.kind === 'message' && message.text)
  expect(shown).toEqual(['Hello', 'I am here'])

  await agents.trigger('desk', { name: 'bell' })
  await world.until(() => told.length === 2)
  for (const kept of ['Be of use', 'Ada likes trains', 'Ask Ada']) expect(told[1]?.prompt).toContain(kept)
  expect(told[1]?.prompt).not.toContain('Your goals:\\n{\\"id\\":\\"g2')
})

test.each(BUILT_IN)('an agent with a tool of its own that is named %s is refused when it is made', (name) => {
  const mine = tool({ name, description: 'mine', input: z.object({}), run: () => 'mine' })
  const options = { name: 'desk', model: scriptedModel([]) }
  const message = `Agent "desk": the tool "${name}" has the name of a built-in tool. Rename it.`
  expect(() => agent({ ...options, tools: [mine] })).toThrow(message)
  expect(() => agent({ ...options, plugins: [definePlugin({ id: 'p', tools: [mine] })] })).toThrow(message)
  // An agent that only gets messages from its own program is not autonomous, and has no built-in tools.
  expect(agent({ ...options, tools: [mine], sender: Symbol('mine') }).tools).toEqual([mine])
})

/** What the calls of one reply came to, by the order of the reply. */
async function valuesOf(world: World): Promise<readonly Json[]> {
  const settled = (await world.log('agent:desk')).flatMap((event) =>
    event.type === 'call.settled' ? [[event.callId, event.outcome] as const] : [],
  )
  const nth = (callId: string): number => Number(callId.split('.').at(-1))
  return settled.toSorted(([a], [b]) => nth(a) - nth(b)).map(([, outcome]) => (outcome.ok ? outcome.value : null))
}

const DEPENDENT = [
  { name: 'set_plans', input: { plans: [{ id: 'p1', what: 'Ask Ada', runAfter: '1 hour' }] } },
  { name: 'get_plans' },
  { name: 'delete_plans', input: { ids: ['p1'] } },
  { name: 'get_plans' },
  { name: 'set_goals', input: { goals: [{ id: 'g1', text: 'Be of use' }] } },
  { name: 'delete_goals', input: { ids: ['g1'] } },
  { name: 'send_message', input: { text: 'One.' } },
  { name: 'send_message', input: { text: 'Two.' } },
  { name: 'read_messages', input: { limit: 2 } },
]
const IN_ORDER = [
  { plans: [{ id: 'p1' }] },
  { plans: [{ id: 'p1' }] },
  { deleted: ['p1'] },
  { plans: [] },
  { goals: [{ id: 'g1' }] },
  { deleted: ['g1'] },
  { sent: true },
  { sent: true },
  { messages: [{ text: 'One.' }, { text: 'Two.' }] },
]

test('calls of one reply find what the calls before them wrote', async () => {
  const world = new World()
  const one = await world.process('one', { says: [{ calls: DEPENDENT }, 'Done.'] })
  const { spaces } = one.runtime
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: { kind: 'agent', id: 'desk' } }] })
  await spaces.post('trip', 'Hello', { from: ada })
  await world.until(async () => (await valuesOf(world)).length === DEPENDENT.length)
  expect(await valuesOf(world)).toMatchObject(IN_ORDER)
})

test('they do so too when the process dies between two of them, and other tools do not wait for them', async () => {
  const world = new World()
  const look = slow('look', { visible: false })
  const setup = { tools: [look.tool], says: [{ calls: [{ name: 'look' }, ...DEPENDENT] }, 'Done.'] }
  const one = await world.process('one', { ...setup, ...diesAfter('plan.set') })
  const { spaces } = one.runtime
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: { kind: 'agent', id: 'desk' } }] })
  void spaces.post('trip', 'Hello', { from: ada }).catch(() => undefined)
  await world.calm()
  expect(look.started).toHaveLength(1)
  const two = await world.process('two', setup)
  await world.pass(LEASE + 2000)
  expect(await valuesOf(world)).toMatchObject(IN_ORDER) // while the other tool still runs
  look.release()
  await world.until(async () => (await two.runtime.agents.view('desk')).status === 'asleep')
})
