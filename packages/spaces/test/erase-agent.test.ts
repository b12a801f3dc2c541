/** Erasing the log of an autonomous agent: what remains, and what its spaces show of an agent that was at work. */
import type { Member } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { places } from '../../../test/kit/places.ts'
import {
  asking,
  calls,
  gated,
  heldId,
  noting,
  slow,
  types,
  World,
  type Process,
} from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const members = [{ member: { kind: 'agent', id: 'desk' } as const }]
const LOG = 'agent:desk'
const by = { by: 'operator', reason: 'request 12' } as const

interface Asked {
  readonly prompt: unknown
}

async function statuses({ runtime }: Process): Promise<readonly string[]> {
  const view = await runtime.spaces.view('trip')
  return (view?.messages ?? []).map((each) => (each.kind === 'tool' ? `${each.name}: ${each.status}` : each.text))
}

test.for(Object.entries(places))(
  'an erased agent leaves a tombstone, and wakes no more, with %s',
  async ([, place]) => {
    const world = new World(place())
    const one = await world.process('one', { says: ['Done.'] })
    const { agents, spaces } = one.runtime
    await spaces.create({ id: 'trip', name: 'Trip', by: ada, members })
    await agents.setPlan('desk', { id: 'p', what: 'Call Ada', runAfter: '1 hour' })
    await agents.trigger('desk', { id: 't', name: 'secret' })
    await world.calm()
    expect(await agents.erase('desk', by)).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
    expect(await agents.erase('desk', { ...by, cancel: true })).toEqual({ ok: true })

    const erased = { by: 'operator', reason: 'request 12', at: world.clock.now() }
    const two = await world.process('two', { says: ['Done.'] })
    for (const { runtime } of [one, two]) {
      expect(await runtime.agents.view('desk')).toEqual({
        conversationId: LOG,
        status: 'asleep',
        inbox: [],
        goals: [],
        memories: [],
        plans: [],
        erased,
      })
      for (const id of ['t', 'u'])
        expect(await runtime.agents.trigger('desk', { id, name: 'wake' })).toMatchObject({
          ok: false,
          refusal: 'erased',
        })
      expect(await runtime.agents.setPlan('desk', { what: 'Look', runAfter: '1 hour' })).toMatchObject({ ok: false })
      expect(await runtime.agents.removePlan('desk', 'p')).toBe(false)
      expect(await runtime.spaces.post('trip', 'Hello?', { from: ada })).toMatchObject({ ok: true })
      expect(await runtime.agents.erase('desk')).toEqual({ ok: true })
    }
    // An hour and more, in steps that let the store answer.
    for (let n = 0; n < 37; n++) {
      await world.clock.advance(99_500)
      await world.pass(500)
    }
    expect(await world.log(LOG)).toMatchObject([{ type: 'conversation.erased', agent: 'desk', ...erased }])
    // The messages for the agent do not wait in the outbox of the space.
    expect(types(await world.log('trip')).filter((type) => type === 'notices.delivered')).toHaveLength(2)
    expect((await one.runtime.list()).items).toEqual([])
    expect([...one.problems, ...two.problems]).toEqual([])
  },
)

test('an agent that is erased while it works stops, and its space does not show it at work', async () => {
  const world = new World()
  const work = slow('work', { visible: true })
  const one = await world.process('one', { says: [calls('work')], tools: [work.tool] })
  const two = await world.process('two', {})
  await one.runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, members })
  await one.runtime.spaces.post('trip', 'Go', { from: ada })
  await world.until(async () => (await statuses(one)).includes('work: running'))
  expect((await one.runtime.spaces.view('trip'))?.active).toEqual(['desk'])

  expect(await two.runtime.agents.erase('desk')).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(await two.runtime.agents.erase('desk', { cancel: true })).toEqual({ ok: true })
  await world.until(() => work.aborted.length === 1)
  work.release('secret')
  await world.pass(2000)

  expect(types(await world.log(LOG))).toEqual(['conversation.erased'])
  expect(await statuses(two)).toEqual(['Go', 'work: error'])
  expect((await two.runtime.spaces.view('trip'))?.active).toEqual([])
  expect([...one.problems, ...two.problems]).toEqual([])
})

test('a held call of an erased agent is gone, and an async call that waits is over in its space', async () => {
  const world = new World()
  const ask = asking('ask', 'external', { async: true, timeout: '1h', visible: true })
  const says = [({ prompt }: Asked) => calls(JSON.stringify(prompt).includes('invoice') ? 'pay' : 'ask'), 'Later.']
  const one = await world.process('one', { says, tools: [ask, noting([], 'pay', { ...gated, visible: false })] })
  await one.runtime.spaces.create({ id: 'trip', name: 'Trip', by: ada, members })
  await one.runtime.spaces.post('trip', 'Ask', { from: ada })
  await world.until(async () => (await statuses(one)).includes('ask: requires_action'))
  await one.runtime.agents.trigger('desk', { name: 'invoice' })

  await world.until(async () => (await one.runtime.pending({ tool: 'pay' })).items.length === 1)
  const pay = await heldId(one, 'pay', LOG)
  const waiting = await heldId(one, 'ask', LOG)

  expect(await one.runtime.agents.erase('desk', { cancel: true })).toEqual({ ok: true })
  for (const callId of [pay, waiting])
    expect(await one.runtime.resolve(LOG, callId, { kind: 'answer', value: 1 })).toMatchObject({ verdict: 'unknown' })
  expect((await one.runtime.pending()).items).toEqual([])
  expect(await statuses(one)).toEqual(['Ask', 'ask: error'])
})

test('only a caller with access to all erases an agent, also one whose definition is gone', async () => {
  const world = new World()
  const one = await world.process('one', { says: ['Done.'] })
  await one.runtime.agents.trigger('desk', { name: 'go', by: 'eve' })
  await world.calm()
  one.kill()
  const two = await world.process('two', { agents: ['other'] })
  const eve = { id: 'eve', kind: 'person', access: 'own' } as const
  expect(await two.runtime.agents.erase('desk', { by: eve })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  expect(await two.runtime.agents.erase('scout')).toMatchObject({ ok: false, refusal: 'nothing-to-erase' })
  expect(await two.runtime.erase(LOG, by)).toEqual({ ok: true })
  expect(types(await world.log(LOG))).toEqual(['conversation.erased'])
})
