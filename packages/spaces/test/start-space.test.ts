/** An agent that was woken from one space is in that space: what it says and shows belongs there without a word. */
import type { Member } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asking, calls, World, type Process } from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const desk: Member = { kind: 'agent', id: 'desk' }
const chart = tool({ name: 'chart', description: 'c', input: z.object({}), run: () => 'drawn' })
const say = (text: string) => ({ name: 'send_message', input: { text } })
const draw = { name: 'chart', input: {} }

async function space({ runtime }: Process, id: string, members: readonly Member[] = [desk]): Promise<void> {
  await runtime.spaces.create({ id, name: id, by: ada, members: members.map((member) => ({ member })) })
}

async function lines({ runtime }: Process, id: string): Promise<readonly string[]> {
  const view = await runtime.spaces.view(id)
  return (view?.messages ?? []).map((each) =>
    each.kind === 'message' ? `${each.from.id}: ${each.text}` : `${each.agent} used ${each.name}: ${each.status}`,
  )
}

async function asleep(world: World, { runtime }: Process): Promise<void> {
  await world.until(async () => (await runtime.agents.view('desk')).status === 'asleep')
  await world.calm()
}

const errors = async (world: World): Promise<readonly string[]> =>
  (await world.log('agent:desk')).flatMap((event) =>
    event.type === 'call.settled' && !event.outcome.ok ? [event.outcome.error.message] : [],
  )
const OUTSIDE = 'Tool "chart" is visible but you are not in a space. Call enter_space first.'

test('the story of the seed: asked in a space, it asks back there, and books there when the answer came', async () => {
  const world = new World()
  const confirm = asking('confirmAction', 'client', { async: true, timeout: '7 days' })
  const book = tool({ name: 'bookHotel', description: 'b', input: z.object({}), run: () => 'a room' })
  const one = await world.process('one', {
    tools: [confirm, book],
    says: [
      ({ prompt }) =>
        JSON.stringify(prompt.at(-1)).includes('Book a hotel')
          ? calls('confirmAction')
          : { calls: [{ name: 'bookHotel' }, say('It is booked.')] },
      'Done.',
    ],
  })
  await space(one, 'trip')
  await one.runtime.spaces.post('trip', 'Book a hotel in Tokyo', { from: ada })
  await asleep(world, one)
  expect(await lines(one, 'trip')).toEqual(['ada: Book a hotel in Tokyo', 'desk used confirmAction: requires_action'])

  const [hold] = (await one.runtime.pending()).items
  await one.runtime.answer('agent:desk', hold?.callId ?? '', { confirmed: true })
  await asleep(world, one)
  expect(await lines(one, 'trip')).toEqual([
    'ada: Book a hotel in Tokyo',
    'desk used confirmAction: complete',
    'desk used bookHotel: complete',
    'desk: It is booked.',
  ])
  expect(await errors(world)).toEqual([])
})

test('it stays there after tools that are not shown, and people see what it writes while it writes', async () => {
  const world = new World()
  const one = await world.process('one', { says: [calls('get_plans'), { calls: [say('Hello.')] }, 'Done.'] })
  await space(one, 'trip')
  const seen: StreamItem[] = []
  const watching = (async () => {
    for await (const item of one.runtime.subscribe('trip')) seen.push(item)
  })()
  await one.runtime.spaces.post('trip', 'Hi', { from: ada })
  await asleep(world, one)
  expect(await lines(one, 'trip')).toEqual(['ada: Hi', 'desk: Hello.'])
  await one.runtime.close()
  await watching
  const written = seen.flatMap((item) => (item.type === 'message.streaming' ? [item.delta] : []))
  expect(written.join('')).toBe('Hello.')
})

test('woken from two spaces, or by something else too, it says where it is first', async () => {
  for (const also of ['space', 'trigger'] as const) {
    const world = new World()
    const gate = Promise.withResolvers<void>()
    const wait = tool({ name: 'wait', description: 'w', input: z.object({}), visible: false, run: () => gate.promise })
    let cycles = 0
    const one = await world.process('one', {
      tools: [chart, wait],
      says: [() => (++cycles === 1 ? calls('wait') : { calls: [draw] }), 'Done.'],
    })
    await space(one, 'trip')
    await space(one, 'office')
    await one.runtime.agents.trigger('desk', { name: 'begin' })
    await world.until(() => cycles === 1)
    await one.runtime.spaces.post('trip', 'Hi', { from: ada })
    if (also === 'space') await one.runtime.spaces.post('office', 'Hi', { from: ada })
    else await one.runtime.agents.trigger('desk', { name: 'payroll' })
    await world.calm()
    gate.resolve()
    await asleep(world, one)
    expect(cycles, also).toBe(2)
    expect(await errors(world), also).toEqual([OUTSIDE])
    expect(await lines(one, 'trip')).toEqual(['ada: Hi'])
  }
})

test('an agent that left is nowhere, and one that was sent away before it acted is not let in again', async () => {
  const world = new World()
  const left = await world.process('one', { tools: [chart], says: [calls('leave_space'), { calls: [draw] }, 'Done.'] })
  await space(left, 'trip')
  await left.runtime.spaces.post('trip', 'Draw', { from: ada })
  await asleep(world, left)
  expect(await errors(world)).toEqual([OUTSIDE])
  expect(await lines(left, 'trip')).toEqual(['ada: Draw'])

  const other = new World()
  const sent: Process = await other.process('one', {
    tools: [chart],
    says: [() => ({ calls: [draw, say('Still here?')] }), 'Done.'],
    before: async (question, given) => {
      const write = given[0] as { to?: { id: string }; events?: readonly { type: string }[] }
      if (question === 'append' && write.events?.some(({ type }) => type === 'turn.started'))
        await sent.runtime.spaces.leave('trip', desk, { by: ada })
      return undefined
    },
  })
  await space(sent, 'trip')
  await sent.runtime.spaces.post('trip', 'Draw', { from: ada })
  await asleep(other, sent)
  expect(await errors(other)).toEqual([OUTSIDE, 'You are not in a space. Call enter_space first.'])
  expect(await lines(sent, 'trip')).toEqual(['ada: Draw'])
})

test('skip leaves nothing in the space either', async () => {
  const world = new World()
  const one = await world.process('one', { says: [calls('skip')] })
  await space(one, 'trip')
  await one.runtime.spaces.post('trip', 'Hi', { from: ada })
  await asleep(world, one)
  expect((await world.log('trip')).map(({ type }) => type)).not.toContain('agent.activated')
})

test('the prompt of a cycle says where the agent is, and when it has to enter a space', async () => {
  const world = new World()
  const told: string[] = []
  const one = await world.process('one', { says: [({ prompt }) => (told.push(JSON.stringify(prompt)), 'I see.')] })
  await one.runtime.agents.trigger('desk', { name: 'hello' })
  await world.until(() => told.length === 1)
  expect(told[0]).toContain('When all you were woken for came from one space, you are in that space.')
  expect(told[0]).toContain('call enter_space before you say something or use a tool that is shown in a space')
})
