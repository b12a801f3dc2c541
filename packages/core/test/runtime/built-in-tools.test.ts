/** The tools that every living agent has, used by one of them over several cycles. */
import type { Json, Member } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { World } from './kit.ts'

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
  const { spaces, lives } = one.runtime
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: { kind: 'agent', id: 'desk' } }] })
  await spaces.post('trip', 'Hello', { from: ada })
  await world.until(async () => (await lives.view('desk')).status === 'asleep' && told.length > 0)

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
  expect(await lives.view('desk')).toMatchObject({
    goals: [{ id: 'g1', text: 'Be of use' }],
    memories: [{ id: 'm1', text: 'Ada likes trains' }],
    plans: [{ id: 'p1' }],
    inbox: [],
  })

  await lives.trigger('desk', { name: 'bell' })
  await world.until(() => told.length === 2)
  for (const kept of ['Be of use', 'Ada likes trains', 'Ask Ada']) expect(told[1]?.prompt).toContain(kept)
  expect(told[1]?.prompt).not.toContain('Your goals:\\n{\\"id\\":\\"g2')
})
