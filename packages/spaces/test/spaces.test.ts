/** People and agents in spaces: who is woken by what, what is shown, and that all of it happens once. */
import type { Append, Json, Member } from '@holdpoint/core'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { World, type Process } from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const desk: Member = { kind: 'agent', id: 'desk' }
const scout: Member = { kind: 'agent', id: 'scout' }

const SKIP = { calls: [{ name: 'skip' }] }
const hello = (space: string, text: string) => ({
  calls: [
    { name: 'enter_space', input: { space } },
    { name: 'send_message', input: { text } },
  ],
})

async function trip(process: Process, agents: readonly Member[], more: object = {}): Promise<void> {
  const members = agents.map((member) => ({ member }))
  expect(await process.runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, members, ...more })).toMatchObject({
    ok: true,
  })
}

async function messages(process: Process, id = 'trip'): Promise<readonly string[]> {
  const view = await process.runtime.spaces.view(id)
  return (view?.messages ?? []).map((message) =>
    message.kind === 'message'
      ? `${message.from.id}: ${message.text}${message.quiet ? ' (quiet)' : ''}`
      : `${message.agent} used ${message.name}: ${message.status}`,
  )
}

test('a message in a space wakes every other agent there, once, and never the one who said it', async () => {
  const world = new World()
  const one = await world.process('one', {
    agents: ['desk', 'scout'],
    says: [({ prompt }) => (JSON.stringify(prompt).includes('from desk') ? SKIP : hello('trip', 'On it.'))],
    agent: { instructions: '' },
  })
  await trip(one, [desk, scout], { agentMessages: 0 })

  expect(await one.runtime.spaces.post('trip', 'Find a hotel', { from: ada })).toMatchObject({ ok: true, quiet: false })
  await world.until(async () => (await messages(one)).length === 3)
  await world.calm()

  expect(await messages(one)).toEqual(['ada: Find a hotel', 'desk: On it. (quiet)', 'scout: On it. (quiet)'])
  for (const agent of ['desk', 'scout']) {
    const started = (await world.log(`agent:${agent}`)).filter(({ type }) => type === 'turn.started')
    expect(started).toHaveLength(1)
  }
})

test('what arrives while an agent works is previewed between steps, and handled in one cycle after it', async () => {
  const world = new World()
  const seen: string[] = []
  const slow = Promise.withResolvers<string>()
  const wait = tool({ name: 'wait', description: 'wait', input: z.object({}), visible: false, run: () => slow.promise })
  const one = await world.process('one', {
    tools: [wait],
    says: [
      ({ prompt }) => {
        seen.push(`cycle: ${JSON.stringify(prompt.findLast(({ role }) => role === 'user'))}`)
        return seen.length === 1 ? { calls: [{ name: 'wait' }] } : 'Seen.'
      },
      ({ prompt }) => {
        seen.push(`step: ${JSON.stringify(prompt.findLast(({ role }) => role === 'user'))}`)
        return 'Done.'
      },
    ],
  })
  await trip(one, [desk])
  await one.runtime.spaces.post('trip', 'first', { from: ada })
  await world.until(() => seen.length === 1)
  await one.runtime.spaces.post('trip', 'second', { from: ada })
  await one.runtime.agents.trigger('desk', { name: 'third' })
  await world.calm()
  slow.resolve('ok')
  await world.until(() => seen.length === 3)

  expect(seen[1]).toContain('Meanwhile this arrived')
  expect(seen[1]).toContain('second')
  expect(seen[2]).toContain('second')
  expect(seen[2]).toContain('third')
  expect(seen[2]).not.toContain('Meanwhile')
})

test('a visible call is shown in the spaces of the agent, and wakes no other agent', async () => {
  const world = new World()
  const chart = tool({ name: 'chart', description: 'c', input: z.object({ n: z.number() }), run: ({ input }) => input })
  const one = await world.process('one', {
    agents: ['desk', 'scout'],
    tools: [chart],
    says: [
      ({ tools, prompt }) =>
        JSON.stringify(prompt).includes('agent \\"desk\\"') || tools.length === 0
          ? {
              calls: [
                { name: 'enter_space', input: { space: 'trip' } },
                { name: 'chart', input: { n: 3 } },
              ],
            }
          : SKIP,
    ],
  })
  await trip(one, [desk, scout])
  await one.runtime.spaces.post('trip', 'Draw', { from: ada })
  await world.until(async () => (await messages(one)).some((line) => line.includes('complete')))
  await world.calm()

  expect(await messages(one)).toEqual(['ada: Draw', 'desk used chart: complete'])
  const view = await one.runtime.spaces.view('trip')
  const shown = view?.messages.at(-1)
  expect(shown).toMatchObject({ kind: 'tool', input: { n: 3 }, output: { n: 3 }, agent: 'desk' })
  expect(view?.active).toEqual([])
  expect(await one.runtime.spaces.post('trip', 'What?', { from: ada, replyTo: shown?.seq ?? 0 })).toMatchObject({
    ok: false,
    refusal: 'not-a-message',
  })
  const woken = (await world.log('agent:scout')).filter(({ type }) => type === 'message.queued')
  expect(woken).toHaveLength(1)
})

test('a visible call says whom it waits for, and the input it continues with after the approval', async () => {
  const world = new World()
  const where = tool({
    name: 'where',
    description: 'w',
    executor: 'client',
    approval: 'required',
    input: z.object({ of: z.string() }),
    output: z.string(),
  })
  const mail = tool({
    name: 'mail',
    description: 'm',
    approval: 'required',
    input: z.object({}),
    run: () => 'sent',
  })
  const one = await world.process('one', {
    tools: [where, mail],
    says: [
      {
        calls: [
          { name: 'enter_space', input: { space: 'trip' } },
          { name: 'where', input: { of: 'ada' } },
          { name: 'mail', input: {} },
        ],
      },
      SKIP,
    ],
  })
  await trip(one, [desk])
  await one.runtime.spaces.post('trip', 'Where are we?', { from: ada })
  await world.until(async () => (await one.runtime.pending()).items.length === 2)
  const [asked, gated] = (await one.runtime.pending()).items
  await one.runtime.resolve('agent:desk', asked?.callId ?? '', { kind: 'approve', input: { of: 'bob' } })
  await world.until(async () => (await one.runtime.pending()).items.some(({ kind }) => kind === 'client'))
  const shown = async () => (await one.runtime.spaces.view('trip'))?.messages.find((each) => each.kind === 'tool')
  await world.until(async () => (await shown())?.hold?.nth === 2)
  expect(await shown()).toMatchObject({
    status: 'requires_action',
    hold: { kind: 'client', nth: 2 },
    input: { of: 'bob' },
  })
  await one.runtime.resolve('agent:desk', asked?.callId ?? '', { kind: 'answer', value: 'Tokyo' })
  await one.runtime.resolve('agent:desk', gated?.callId ?? '', { kind: 'approve' })
  await world.until(async () => (await messages(one)).filter((line) => line.includes('complete')).length === 2)
  expect((await shown())?.hold).toBeUndefined()
  const told = (await world.log('trip')).flatMap((event) =>
    event.type === 'tool.started' || event.type === 'tool.changed'
      ? [[event.type, event.status, event.hold?.kind]]
      : [],
  )
  expect(told).toEqual([
    ['tool.started', 'requires_action', 'approval'],
    ['tool.started', 'requires_action', 'approval'],
    ['tool.changed', 'requires_action', 'client'],
    ['tool.changed', 'running', undefined],
  ])
})

test('a visible tool outside a space is an error that says what to do', async () => {
  const world = new World()
  const outcomes: Json[] = []
  const chart = tool({ name: 'chart', description: 'c', input: z.object({}), run: () => 'never' })
  const one = await world.process('one', {
    tools: [chart],
    says: [
      { calls: [{ name: 'chart' }] },
      ({ prompt }) => {
        outcomes.push(JSON.stringify(prompt.at(-1)))
        return 'I see.'
      },
    ],
  })
  await one.runtime.agents.trigger('desk', { name: 'draw' })
  await world.until(() => outcomes.length === 1)
  expect(outcomes[0]).toContain('Tool \\"chart\\" is visible but you are not in a space. Call enter_space first.')
})

test('skip leaves no trace in what the agent is told later, and its events are handled all the same', async () => {
  const world = new World()
  const prompts: string[] = []
  const one = await world.process('one', {
    says: [
      ({ prompt }) => {
        prompts.push(JSON.stringify(prompt))
        return prompts.length === 1 ? SKIP : 'Noted.'
      },
    ],
  })
  await one.runtime.agents.trigger('desk', { name: 'rumour', id: 'a' })
  await world.until(() => prompts.length === 1)
  await world.calm()
  expect(await one.runtime.agents.view('desk')).toMatchObject({ status: 'asleep', inbox: [] })
  expect((await one.runtime.view('agent:desk'))?.turns).toEqual([])

  expect(await one.runtime.agents.trigger('desk', { name: 'rumour', id: 'a' })).toEqual({
    ok: true,
    id: 'a',
    repeated: true,
  })
  await one.runtime.agents.trigger('desk', { name: 'something', id: 'b' })
  await world.until(() => prompts.length === 2)
  expect(prompts[1]).toContain('something')
  expect(prompts[1]).not.toContain('rumour')
})

test('agents that answer each other are stopped by a limit, which a person resets', async () => {
  const world = new World()
  const one = await world.process('one', { agents: ['desk', 'scout'], says: [hello('trip', 'You first.')] })
  await trip(one, [desk, scout], { agentMessages: 4 })
  await one.runtime.spaces.post('trip', 'Decide', { from: ada })
  await world.until(async () => (await one.runtime.spaces.view('trip'))?.quiet === true)
  await world.calm()
  const first = await messages(one)
  expect(first.filter((line) => !line.endsWith('(quiet)'))).toHaveLength(5)
  await world.pass(2000)
  expect(await messages(one)).toEqual(first)

  await one.runtime.spaces.post('trip', 'Go on', { from: ada })
  await world.until(async () => (await messages(one)).length > first.length + 4)
  expect((await messages(one)).filter((line) => !line.endsWith('(quiet)'))).toHaveLength(10)
})

test('a person or an agent that is not a member can do nothing in a space', async () => {
  const world = new World()
  const results: string[] = []
  const one = await world.process('one', {
    says: [hello('trip', 'Let me in'), ({ prompt }) => (results.push(JSON.stringify(prompt.at(-1))), 'Well.')],
  })
  await trip(one, [])
  const bob: Member = { kind: 'human', id: 'bob' }
  expect(await one.runtime.spaces.post('trip', 'Hi', { from: bob })).toMatchObject({ refusal: 'not-a-member' })
  expect(await one.runtime.spaces.post('trip', 'Hi', { from: bob, replyTo: 1 })).toMatchObject({
    refusal: 'not-a-member',
  })
  expect(await one.runtime.spaces.join('trip', bob, { by: bob })).toMatchObject({ refusal: 'not-a-member' })
  expect(await one.runtime.spaces.post('nowhere', 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(() => results.length === 1)
  expect(results[0]).toContain('is not a member')
  expect(results[0]).toContain('You are not in a space')
  expect(await messages(one)).toEqual([])
})

test('an id of a conversation or of an agent’s log is no space, and no space can be created there', async () => {
  const world = new World()
  const { runtime } = await world.process('one', { says: ['Hello.'] })
  await runtime.send('talk', 'Hi')
  for (const id of ['talk', 'agent:desk']) {
    expect(await runtime.spaces.create({ id, name: 'Trip', by: ada })).toMatchObject({ refusal: 'id-taken' })
    expect(await runtime.spaces.post(id, 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
    expect(await runtime.spaces.join(id, ada)).toMatchObject({ refusal: 'space-missing' })
    expect(await runtime.spaces.view(id)).toBeUndefined()
  }
  expect(await runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada })).toMatchObject({ ok: true })
  // And where there is a space there is no conversation.
  expect(await runtime.send('trip', 'Hi')).toMatchObject({ status: 'refused', reason: 'is-a-space' })
  expect(await runtime.send('trip', 'Hi', { agent: 'desk' })).toMatchObject({ reason: 'is-a-space' })
  await expect(runtime.create({ id: 'trip' })).rejects.toThrow('a space and a conversation cannot have the same id')
  expect(await runtime.view('trip')).toBeUndefined()
  expect(await runtime.view('trip', { before: 3 })).toBeUndefined()
})

test('a retry under the same key is given the first result', async () => {
  const world = new World()
  const { runtime } = await world.process('one', {})
  const make = (key: string) => runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, key })
  expect(await make('a')).toEqual({ ok: true, id: 'trip', seq: 2 })
  expect(await make('a')).toEqual({ ok: true, id: 'trip', seq: 2, repeated: true })
  expect(await make('b')).toMatchObject({ ok: false, refusal: 'id-taken' })

  const say = (text: string, more: object = {}) => runtime.spaces.post('trip', text, { from: ada, key: 'k', ...more })
  expect(await say('Hello')).toEqual({ ok: true, seq: 3, quiet: false })
  expect(await say('Hello')).toEqual({ ok: true, seq: 3, quiet: false, repeated: true })
  expect(await say('Hello', { replyTo: 3 })).toMatchObject({ ok: false, refusal: 'key-reused' })
  expect(await say('Bye')).toMatchObject({ ok: false, refusal: 'key-reused' })
  // What was said stays said, although the one who said it is gone.
  await runtime.spaces.join('trip', { kind: 'human', id: 'bob' }, { role: 'owner' })
  await runtime.spaces.leave('trip', ada)
  expect(await say('Hello')).toMatchObject({ ok: true, seq: 3, repeated: true })
})

test('a space stays in memory while it delivers, and delivers again after the store failed', async () => {
  const world = new World()
  let away = true
  const one = await world.process('one', {
    says: [SKIP],
    keepIdle: 0,
    before: (question, [write]) =>
      away && question === 'append' && (write as Append).to.id === 'agent:desk'
        ? { result: 'failed', why: 'the disk is full' }
        : undefined,
  })
  await trip(one, [desk])
  await one.runtime.spaces.post('trip', 'Find a hotel', { from: ada })
  await world.pass(25_000)
  expect(one.problems).toHaveLength(1)
  away = false
  await world.pass(60_000)
  await world.calm()

  expect((await world.log('agent:desk')).map(({ type }) => type)).toContain('turn.started')
})
