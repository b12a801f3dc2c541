import { agent, memoryStore, Runtime } from 'holdpoint'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { asking, calls, heldId, types, World, type Process } from '../../../../test/kit/runtime-kit.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
/** Without polls, so that the manual clock passes days quickly. */
const QUIET = { lookMs: HOUR, leaseMs: DAY } as const

/** Days in steps of an hour. */
async function days(world: World, count: number): Promise<void> {
  for (let hour = 0; hour < count * 24; hour++) {
    await world.clock.advance(HOUR)
    await world.calm()
  }
}

async function left(world: World, tenant = ''): Promise<readonly string[]> {
  const { items } = await (await world.store).list({ tenant, limit: 100 })
  return items.map(({ id }) => id)
}

async function say(world: World, { runtime }: Process, tenant: string, id: string): Promise<void> {
  await world.soon(runtime.tenant(tenant).send(id, 'Go'))
}

test('an agent keeps its conversations for as long as it says, from their last event', async () => {
  const world = new World()
  const a = await world.process('a', { ...QUIET, says: ['Done.'], agent: { eraseAfter: '3 days' } })
  await say(world, a, '', 'old')
  await say(world, a, '', 'used')
  await days(world, 2)
  await say(world, a, '', 'used')
  expect(await left(world)).toEqual(['used', 'old'])
  await days(world, 2)
  expect(await left(world)).toEqual(['used'])
  expect(await world.log('old')).toEqual([
    { type: 'conversation.erased', agent: 'desk', policy: 'retention', seq: 3, at: expect.any(Number) },
  ])
  await days(world, 2)
  expect(await left(world)).toEqual([])
  expect(a.problems).toEqual([])
})

test('the operator sets the time by tenant, and the shorter time counts', async () => {
  const world = new World()
  const a = await world.process('a', {
    ...QUIET,
    says: ['Done.'],
    agent: { eraseAfter: '3 days' },
    eraseAfter: ({ tenant, agent: name }) => {
      expect(name).toBe('desk')
      return { strict: '1 day', lax: '30 days' }[tenant]
    },
  })
  for (const tenant of ['strict', 'lax', 'none']) await say(world, a, tenant, 'c')
  await days(world, 2)
  expect([await left(world, 'strict'), await left(world, 'lax'), await left(world, 'none')]).toEqual([[], ['c'], ['c']])
  await days(world, 2)
  expect([await left(world, 'lax'), await left(world, 'none')]).toEqual([[], []])
})

test('a conversation with an open hold stays, and so do spaces and the logs of autonomous agents', async () => {
  const world = new World()
  const tools = [
    asking('ask', 'external', { timeout: '30 days' }),
    asking('later', 'external', { async: true, timeout: '30 days' }),
  ]
  const says = [calls('ask'), 'Done.']
  const a = await world.process('a', { ...QUIET, says, tools, eraseAfter: '1 day' })
  const b = await world.process('b', { ...QUIET, says: [calls('later'), 'Done.'], tools, eraseAfter: '1 day' })
  await world.soon(a.runtime.send('held', 'Ask'))
  await world.soon(b.runtime.send('waits', 'Ask'))
  await a.runtime.spaces.create({ id: 'room', name: 'Room' })
  await a.runtime.agents.setPlan('desk', { what: 'Stretch', runAfter: '20 days' })
  await days(world, 3)
  expect((await left(world)).toSorted()).toEqual(['agent:desk', 'held', 'room', 'waits'])

  await a.runtime.answer('held', await heldId(a, 'ask', 'held'), 1)
  await days(world, 3)
  expect((await left(world)).toSorted()).toEqual(['agent:desk', 'room', 'waits'])
})

test('a conversation whose agent is gone is erased by the rule of the operator', async () => {
  const world = new World()
  const a = await world.process('a', { ...QUIET, says: ['Done.'] })
  await say(world, a, '', 'c')
  a.kill()
  await world.process('b', { ...QUIET, agents: ['other'], eraseAfter: '1 day' })
  await days(world, 2)
  expect(types(await world.log())).toEqual(['conversation.erased'])
})

test('a message that arrives while the old conversation is being erased wins or finds the tombstone', async () => {
  const world = new World()
  let said: Promise<unknown> | undefined
  const b = await world.process('b', { ...QUIET, says: ['Done.'] })
  await say(world, b, '', 'c')
  await world.process('a', {
    ...QUIET,
    drive: true,
    eraseAfter: '1 day',
    before: async (question, given) => {
      if (question !== 'append' || !(given[0] as { readonly erase?: true }).erase || said) return
      said = b.runtime.submit('c', 'Still here')
      await said
    },
  })
  await days(world, 1)
  expect(said).toBeDefined()
  expect(await said).toMatchObject({ ok: true })
  expect(types(await world.log())).not.toContain('conversation.erased')
})

test('a time that is no duration is refused when the runtime opens, and when the agent is defined', async () => {
  const ports = testPorts()
  const store = memoryStore({ now: ports.now })
  onTestFinished(() => store.close())
  const model = scriptedModel([])
  const desk = agent({ name: 'desk', model })
  await expect(Runtime.open({ store, agents: [desk], ports, eraseAfter: 'a while' })).rejects.toThrow(
    '"eraseAfter" must be a duration, such as \'90 days\'',
  )
  expect(() => agent({ name: 'desk', model, eraseAfter: -1 })).toThrow('eraseAfter')
})
