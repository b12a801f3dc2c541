import { proves } from '@holdpoint/testing'
import type { Asker } from 'holdpoint'
import { expect, test } from 'vitest'
import { asking, calls, expectSound, noting, gated, slow, types, World } from '../../../../test/kit/runtime-kit.ts'

const setup = { says: [calls('pay'), 'Paid.'], tools: [noting([], 'pay', gated)] }

test(proves('tenant.isolated', 'two tenants with the same ids see nothing of each other, in any request'), async () => {
  const world = new World()
  const { runtime } = await world.process('a', setup)
  const [acme, globex] = [runtime.tenant('acme'), runtime.tenant('globex')]
  await acme.send('c', 'Pay of acme')
  await acme.send('only', 'Pay of acme')
  await globex.send('c', 'Pay of globex')
  const [call] = (await acme.pending({ conversationId: 'c' })).items

  for (const stranger of [globex, runtime]) {
    expect(await stranger.approve('only', call!.callId)).toMatchObject({ verdict: 'unknown' })
    expect(await stranger.approve('c', call!.callId)).toMatchObject({ verdict: 'unknown' })
    expect(await stranger.cancel('only')).toMatchObject({ ok: false })
    expect(await stranger.continue('only')).toMatchObject({ status: 'refused' })
    expect(await stranger.events('only')).toEqual([])
    expect(JSON.stringify([await stranger.list(), await stranger.pending(), await stranger.events('c')])).not.toContain(
      'acme',
    )
  }
  expect((await acme.list()).items.map(({ id }) => id)).toEqual(['only', 'c'])
  expect((await runtime.list()).items).toEqual([])
  expect(await acme.approve('c', call!.callId)).toMatchObject({ verdict: 'accepted' })
  await world.calm()
  expect(types(await world.log('c', 'globex'))).toEqual(['turn.started', 'model.replied', 'call.held'])
})

test('a place in the pages of one tenant shows another nothing of it', async () => {
  const world = new World()
  const { runtime } = await world.process('a', setup)
  for (const id of ['x', 'y', 'z']) await runtime.tenant('acme').send(id, 'Pay')
  const { next } = await runtime.tenant('acme').pending({ limit: 1 })
  const list = await runtime.tenant('acme').list({ limit: 1 })

  expect((await runtime.tenant('globex').pending({ after: next! })).items).toEqual([])
  expect((await runtime.tenant('globex').list({ after: list.next! })).items).toEqual([])
})

test('a subscriber to a conversation sees nothing of one with the same id in another tenant', async () => {
  const world = new World()
  const { runtime } = await world.process('a', { says: ['Words of acme.'] })
  const following = runtime.tenant('globex').subscribe('c')
  const first = following.next()

  await runtime.tenant('acme').send('c', 'Hi')
  await world.calm()
  await runtime.tenant('globex').send('c', 'Hello')

  expect(await first).toMatchObject({
    value: { type: 'turn.started', items: [{ message: { parts: [{ text: 'Hello' }] } }] },
  })
})

test('a key counts within its own tenant and conversation', async () => {
  const world = new World()
  const { runtime } = await world.process('a', { says: ['Hi.'] })
  for (const tenant of ['acme', 'globex', ''])
    for (const id of ['c', 'd'])
      expect(await runtime.tenant(tenant).submit(id, `${tenant} ${id}`, { key: 'k' })).not.toHaveProperty('repeated')
})

test('one tenant’s work is driven, taken over and expired for that tenant, with its own scope', async () => {
  const world = new World()
  const seen: unknown[] = []
  const work = slow('work')
  const both = {
    says: [calls('work', 'ask'), 'Done.'],
    tools: [work.tool, asking('ask', 'client', { timeout: '5s' })],
    scope: (asker: Asker) => (seen.push(asker.tenant), {}),
  }
  const a = await world.process('a', both)
  await a.runtime.tenant('acme').submit('c', 'Work')
  await world.until(() => work.started.length === 1)
  a.kill()
  const b = await world.process('b', both)

  await world.pass(20_000)
  work.release()
  await world.calm()

  const log = await world.log('c', 'acme')
  expect(types(log).at(-1)).toBe('model.replied')
  expect(await world.log('c')).toEqual([])
  expect(new Set(seen)).toEqual(new Set(['acme']))
  expectSound(log, a, b)
})

test('the tenant of a tenant is that tenant', async () => {
  const world = new World()
  const { runtime } = await world.process('a', { says: ['Hi.'] })
  await runtime.tenant('acme').tenant('globex').send('c', 'Hi')
  expect(await world.log('c', 'globex')).toHaveLength(2)
  await runtime.tenant('acme').tenant('').send('c', 'Hi')
  expect(await world.log('c')).toHaveLength(2)
})
