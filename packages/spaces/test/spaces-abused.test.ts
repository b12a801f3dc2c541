/** Spaces used with wrong ids, names and tools, on purpose or not. */
import { isSpaceFrame, type Append, type Member, type SpaceFrame } from '@holdpoint/core'
import { scriptedModel, type Script, type ScriptedReply } from '@holdpoint/testing'
import { agent, tool, type Agent } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asking, heldId, slow, World, type Process } from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const desk: Member = { kind: 'agent', id: 'desk' }
const scout: Member = { kind: 'agent', id: 'scout' }
const enter = { name: 'enter_space', input: { space: 'trip' } }

async function trip({ runtime }: Process, ...agents: readonly Member[]): Promise<void> {
  const members = agents.map((member) => ({ member }))
  expect(await runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, members })).toMatchObject({ ok: true })
}

/** Says it in its first cycle, and has nothing to say in others. */
function once(reply: ScriptedReply): Script {
  let said = false
  return () => (said ? 'I see.' : ((said = true), reply))
}

test('a space cannot be created under the id of a conversation, and a conversation takes no posts', async () => {
  const world = new World()
  const { runtime } = await world.process('one', { says: ['Hello.'] })
  await runtime.send('c', 'Hi')
  expect(await runtime.spaces.create({ id: 'c', name: 'C', by: ada })).toMatchObject({ refusal: 'id-taken' })
  expect(await runtime.spaces.post('c', 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
  expect(await runtime.spaces.join('c', ada)).toMatchObject({ refusal: 'space-missing' })
  expect(await runtime.spaces.create({ id: 'd', name: 'D', by: ada })).toMatchObject({ ok: true })
  expect(await runtime.spaces.create({ id: 'd', name: 'D', by: ada })).toMatchObject({ refusal: 'id-taken' })
  expect(await runtime.send('d', 'Hi')).toMatchObject({ status: 'refused', reason: 'is-a-space' })
})

test('a message to a space that does not exist leaves its id free for the next use', async () => {
  const world = new World()
  const { runtime, problems } = await world.process('one', { says: ['Hello.'] })
  expect(await runtime.spaces.post('c', 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
  expect(await world.soon(runtime.send('c', 'Hi'))).toMatchObject({ status: 'done', text: 'Hello.' })
  expect(problems).toEqual([])
})

test('a space cannot be created under the id of an agent’s log, and no agent has the name reserved for spaces', async () => {
  const world = new World()
  const { runtime } = await world.process('one')
  expect(await runtime.spaces.create({ id: 'agent:desk', name: 'D', by: ada })).toMatchObject({ refusal: 'id-taken' })
  expect(await runtime.spaces.post('agent:desk', 'Hi', { from: ada })).toMatchObject({ refusal: 'space-missing' })
  const named = 'No agent can be named "holdpoint.space"'
  const members = [{ member: { kind: 'agent', id: 'holdpoint.space' } as const }]
  await expect(runtime.spaces.create({ name: 'S', by: ada, members })).rejects.toThrow(named)
  await expect(runtime.agents.trigger('holdpoint.space', { name: 'x' })).rejects.toThrow(named)
  await expect(runtime.send('c', 'Hi', { agent: 'holdpoint.space' })).rejects.toThrow(named)
  await expect(runtime.create({ id: 'c', agent: 'holdpoint.space' })).rejects.toThrow(named)
  expect(await world.log('c')).toEqual([])
})

test('an agent that can no longer be created does not keep other agents in the space from hearing', async () => {
  const world = new World()
  const fine = agent({ name: 'desk', model: scriptedModel([]) })
  let made = (): Agent => fine
  const one = await world.process('one', {
    agents: [],
    agentFor: async (_tenant, name) => (name === 'desk' ? made() : undefined),
  })
  await world.process('two', { agents: ['scout'], says: ['Heard.'] })
  await trip(one, desk, scout)
  const mine = tool({ name: 'skip', description: 'mine', input: z.object({}), run: () => 'mine' })
  made = () => agent({ name: 'desk', model: scriptedModel([]), tools: [mine] })
  await expect(one.runtime.agents.trigger('desk', { name: 'go' })).rejects.toThrow('the tool "skip" has the name')
  await one.runtime.spaces.post('trip', 'Hi', { from: ada })
  await world.pass(2000)
  expect((await world.log('agent:scout')).filter(({ type }) => type === 'turn.started')).toHaveLength(1)
  expect((await one.runtime.agents.view('desk')).inbox).toHaveLength(1)
  expect((await world.log('trip')).at(-1)).toMatchObject({ type: 'notices.delivered' })
})

test('a post whose answer was lost is told as taken, although its sender may not speak there any more', async () => {
  const world = new World()
  const { runtime } = await world.process('one')
  await runtime.spaces.create({
    id: 'trip',
    name: 'Trip',
    by: ada,
    members: [{ member: { kind: 'human', id: 'bob' } }],
  })
  const bob: Member = { kind: 'human', id: 'bob' }
  const first = await runtime.spaces.post('trip', 'Hi', { from: bob, key: 'k' })
  await runtime.spaces.leave('trip', bob, { by: ada })
  expect(await runtime.spaces.post('trip', 'Hi', { from: bob, key: 'k' })).toMatchObject(first)
  expect(await runtime.spaces.post('trip', 'Hi', { from: bob, key: 'l' })).toMatchObject({ refusal: 'not-a-member' })
})

test('a message with a key that looks like an event of the inbox does not keep that event out', async () => {
  const world = new World()
  const one = await world.process('one', { says: ['Hello.'] })
  await trip(one, desk)
  const seq = (await world.log('trip')).length + 1
  await world.soon(one.runtime.send('agent:desk', 'Hi', { key: `space:trip:${seq}` }))
  await world.soon(one.runtime.send('agent:desk', 'Hi again', { key: 'trigger:t' }))
  expect(await one.runtime.spaces.post('trip', 'Look here', { from: ada })).toMatchObject({ seq })
  expect(await one.runtime.agents.trigger('desk', { id: 't', name: 'go' })).toEqual({ ok: true, id: 't' })
  await world.calm()
  expect(JSON.stringify(await world.log('agent:desk'))).toContain('Look here')
})

test('what an agent writes is shown as it is written, where it is a member, and of visible calls alone', async () => {
  const world = new World()
  const hidden = tool({ name: 'diary', description: 'd', visible: false, input: z.object({}).loose(), run: () => 1 })
  const chart = tool({ name: 'chart.draw', description: 'c', input: z.object({}).loose(), run: () => 1 })
  const one = await world.process('one', {
    tools: [hidden, chart],
    says: [
      {
        calls: [
          enter,
          { name: 'diary', input: { secret: 1 } },
          { name: 'set_memories', input: { memories: [{ text: 'secret' }] } },
          { name: 'chart.draw', input: { shown: 1 } },
          { name: 'send_message', input: { text: 'Drawn.' } },
          { name: 'enter_space', input: { space: 'other' } },
          { name: 'send_message', input: { text: 'spam' } },
        ],
      },
    ],
  })
  await trip(one, desk)
  await one.runtime.spaces.create({ id: 'other', name: 'Other', by: ada })
  const frames: Record<string, SpaceFrame[]> = { trip: [], other: [] }
  for (const [id, seen] of Object.entries(frames))
    void (async () => {
      for await (const item of one.runtime.subscribe(id)) if (!('seq' in item) && isSpaceFrame(item)) seen.push(item)
    })()
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(async () => (await one.runtime.spaces.view('trip'))?.messages.length === 3)
  await world.calm()
  expect(frames['trip']).toMatchObject([
    { type: 'tool.started', name: 'chart.draw', status: 'writing' },
    { type: 'tool.streaming', name: 'chart.draw', delta: '{"shown":1}' },
    { type: 'message.streaming', delta: 'Drawn.' },
  ])
  expect(frames['other']).toEqual([])
})

test('a cancelled cycle leaves no agent active, and no visible call without an end', async () => {
  const world = new World()
  const pending = slow('chart')
  const form = asking('form', 'human', { timeout: '1 day' })
  const one = await world.process('one', {
    tools: [pending.tool, form],
    says: [{ calls: [enter, { name: 'chart' }, { name: 'form' }] }],
  })
  await trip(one, desk)
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(async () => (await one.runtime.spaces.view('trip'))?.messages.length === 2)
  expect((await one.runtime.spaces.view('trip'))?.active).toEqual(['desk'])
  expect(await one.runtime.cancel('agent:desk', 'Enough.')).toEqual({ ok: true })
  await world.until(async () => (await one.runtime.spaces.view('trip'))?.active.length === 0)
  const { messages = [] } = (await one.runtime.spaces.view('trip')) ?? {}
  expect(messages.map((message) => message.kind === 'tool' && [message.name, message.status])).toEqual([
    ['form', 'error'],
    ['chart', 'error'],
  ])
})

test('an answer that comes after its deadline is shown where the call was', async () => {
  const world = new World()
  const job = asking('job', 'external', { async: true, timeout: '1 minute', late: 'inbox' })
  const one = await world.process('one', { tools: [job], says: [once({ calls: [enter, { name: 'job' }] })] })
  await trip(one, desk)
  await one.runtime.agents.trigger('desk', { name: 'go' })
  const status = async (): Promise<string | undefined> => {
    const shown = (await one.runtime.spaces.view('trip'))?.messages.at(-1)
    return shown?.kind === 'tool' ? shown.status : undefined
  }
  await world.until(async () => (await status()) === 'requires_action')
  await world.calm()
  const callId = await heldId(one, 'job', 'agent:desk')
  await world.pass(62_000)
  expect(await status()).toBe('error')
  expect(await one.runtime.answer('agent:desk', callId, 'at last')).toMatchObject({ verdict: 'accepted' })
  await world.until(async () => (await status()) === 'complete')
})

test('an agent that is sent away while it works says nothing more there, and is not active', async () => {
  const world = new World()
  const pending = slow('chart')
  const one = await world.process('one', {
    tools: [pending.tool],
    says: [{ calls: [enter, { name: 'chart' }] }, { calls: [{ name: 'send_message', input: { text: 'Still here' } }] }],
  })
  await trip(one, desk)
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(() => pending.started.length === 1)
  await world.calm()
  await one.runtime.spaces.leave('trip', desk, { by: ada })
  pending.release()
  await world.until(async () => (await one.runtime.agents.view('desk')).status === 'asleep')
  await world.calm()
  const view = await one.runtime.spaces.view('trip')
  expect(view?.active).toEqual([])
  expect(view?.messages.map(({ kind }) => kind)).toEqual(['tool'])
  expect(JSON.stringify(await world.log('agent:desk'))).toContain('desk is not a member of space')
})

test('what is said to a thousand agents is kept once until they have heard it, and each hears it once', async () => {
  const world = new World()
  const crowd = Array.from({ length: 1000 }, (_, n): Member => ({ kind: 'agent', id: `a${n}` }))
  const one = await world.process('one', { drive: false })
  await trip(one, ...crowd)
  const text = 'long '.repeat(2000)
  await one.runtime.spaces.post('trip', text, { from: ada })
  const base = JSON.stringify((await (await world.store).load({ tenant: '', id: 'trip' }))?.base ?? {})
  expect(base.split(text).length).toBeLessThanOrEqual(2)
  await world.process('two', { agents: ['a1'], says: ['Heard.'] })
  await world.pass(1000)
  await world.until(async () => (await world.log('trip')).at(-1)?.type === 'notices.delivered')
  for (const { id } of crowd)
    expect((await world.log(`agent:${id}`)).filter(({ type }) => type === 'message.queued')).toHaveLength(1)
})

test('what a process that is closed had still to tell is told by the next one, once', async () => {
  const world = new World()
  let hold = true
  const never = Promise.withResolvers<void>()
  const one = await world.process('one', {
    agents: ['desk', 'scout'],
    graceMs: 100,
    before: (question, given) =>
      question === 'append' && hold && (given[0] as Append).to.id === 'agent:scout' ? never.promise : undefined,
  })
  await trip(one, desk, scout)
  await one.runtime.spaces.post('trip', 'Hi', { from: ada })
  await world.calm()
  await world.soon(one.runtime.close())
  one.kill()
  hold = false
  await world.process('two', { agents: ['desk', 'scout'], says: ['Heard.'] })
  await world.pass(2000)
  for (const life of ['agent:desk', 'agent:scout'])
    expect((await world.log(life)).filter(({ type }) => type === 'message.queued')).toHaveLength(1)
  expect((await world.log('trip')).filter(({ type }) => type === 'notices.delivered')).toHaveLength(1)
})

test('a space that another process made is found, although this one could not make it and heard nothing since', async () => {
  const world = new World()
  let away = true
  const a = await world.process('a')
  const b = await world.process('b', {
    deaf: true,
    before: (question) => {
      if (away && question === 'append') throw new Error('The store is away.')
    },
  })
  const failed = b.runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada }).catch((error: unknown) => error)
  expect(await world.soon(failed)).toMatchObject({ code: 'store-unavailable' })
  await trip(a)
  away = false
  expect(await b.runtime.spaces.post('trip', 'Hello', { from: ada })).toMatchObject({ ok: true })
})
