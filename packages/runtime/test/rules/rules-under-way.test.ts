/** Rules that are used up, revoked or expire while calls wait, and processes that die in between. */
import { expect, test } from 'vitest'
import { expectSound, heldId, types, World } from '../../../../test/kit/runtime-kit.ts'
import { about, desk, judged, saved } from './rules-kit.ts'

test('of two processes that take the last use of a rule, one gets it, and the other asks', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const [a, b] = [await world.process('a', desk(ran)), await world.process('b', desk(ran))]
  const id = await saved(a, { uses: 1 })
  const sent = [a.runtime.send('c', 'Mail Ada'), b.runtime.send('d', 'Mail Ada')]
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual(['done', 'held'])
  expect(ran).toHaveLength(1)
  expect(await a.runtime.rules.find(id)).toMatchObject({ used: 1, calls: [{}] })
})

test('a rule with three uses allows three of ten calls at the same moment', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const nodes = [await world.process('a', desk(ran)), await world.process('b', desk(ran))]
  const id = await saved(nodes[0]!, { uses: 3 })
  const sent = Array.from({ length: 10 }, (_, n) => nodes[n % 2]!.runtime.send(`c${n}`, 'Mail Ada'))
  const done = (await Promise.all(sent)).filter(({ status }) => status === 'done')
  expect([done.length, ran.length]).toEqual([3, 3])
  const rule = await nodes[0]!.runtime.rules.find(id)
  expect(new Set(rule?.calls.map(({ callId }) => callId)).size).toBe(3)
})

test('a rule expires: calls from that moment on are held', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran))
  await saved(a, { expiresAt: world.clock.now() + 60_000 })
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'done' })
  await world.pass(60_000)
  expect(await a.runtime.send('d', 'Mail Ada')).toMatchObject({ status: 'held' })
})

/** A process that dies when it appends the start of a call, after a rule allowed it. */
async function allowedAndDead(world: World, ran: string[], more: object = {}): Promise<void> {
  const a = await world.process('a', {
    ...desk(ran),
    before: (question, given, life) => {
      const { events = [] } = (given[0] ?? {}) as { readonly events?: readonly { readonly type: string }[] }
      if (question === 'append' && events.some(({ type }) => type === 'call.started')) life.kill()
      return undefined
    },
  })
  await saved(a, more)
  void a.runtime.send('c', 'Mail Ada', { by: 'ada' }).catch(() => {})
  await world.until(async () => types(await world.log()).includes('call.cleared'))
  await world.calm()
}

test('a call that a rule allowed, and whose process died, starts under the use that it has', async () => {
  const [world, ran] = [new World(), [] as string[]]
  await allowedAndDead(world, ran, { uses: 1 })
  const b = await world.process('b', desk(ran))
  await world.pass(30_000)
  expect(ran).toEqual(['ada@acme.test'])
  expect(judged(await world.log())).toHaveLength(1)
  const [rule] = (await b.runtime.rules.list()).items
  expect(rule).toMatchObject({ used: 1 })
  expectSound(await world.log(), b)
})

test('a rule that is revoked while its call waits to start holds the call', async () => {
  const [world, ran] = [new World(), [] as string[]]
  await allowedAndDead(world, ran)
  const b = await world.process('b', { ...desk(ran), drive: false })
  const [rule] = (await b.runtime.rules.list()).items
  expect(await b.runtime.rules.revoke(rule!.id, { by: 'grace', reason: 'Too wide' })).toMatchObject({ ok: true })
  const c = await world.process('c', desk(ran))
  await world.pass(30_000)
  expect(ran).toEqual([])
  await c.runtime.approve('c', await heldId(c, 'email.send'), { by: 'grace' })
  await world.until(() => ran.length === 1)
  expectSound(await world.log(), c)
})

test('a deny that is saved while an allowed call waits to start denies it', async () => {
  const [world, ran] = [new World(), [] as string[]]
  await allowedAndDead(world, ran)
  const b = await world.process('b', { ...desk(ran), drive: false })
  await b.runtime.rules.save(about({ effect: 'deny' }), { by: 'grace' })
  await world.process('c', desk(ran))
  await world.pass(30_000)
  expect(ran).toEqual([])
  expect(judged(await world.log())).toMatchObject([{ decision: { effect: 'allow' } }, { decision: { effect: 'deny' } }])
})

test('a revoked rule stays listed with who revoked it, and is not revoked twice', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  const id = await saved(a)
  await a.runtime.rules.revoke(id, { by: 'grace', reason: 'Too wide' })
  await a.runtime.rules.revoke(id, { by: 'eve' })
  expect((await a.runtime.rules.list()).items).toMatchObject([{ id, revoked: { by: 'grace', reason: 'Too wide' } }])
  expect(await a.runtime.rules.save(about(), { by: 'grace', id })).toMatchObject({ refusal: 'rule-changed' })
  expect(await a.runtime.rules.revoke('email.send~none', { by: 'grace' })).toMatchObject({ refusal: 'rule-missing' })
})
