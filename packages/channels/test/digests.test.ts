/** Digests: the holds of a person are one message at its time, which is updated when they are settled. */
import type { ChannelPerson, DigestMessage } from '@holdpoint/channels'
import { expect, test } from 'vitest'
import { asking, calls, heldId } from '../../../test/kit/runtime-kit.ts'
import { ChannelPeople } from '../src/channel-people.ts'
import { checkDigestTimes, nextDigest } from '../src/digest-times.ts'
import { preferencesFor } from '../src/preferences.ts'
import { mortal, openDesk, pay, Phones, type Desk } from './kit.ts'

// The clock of the tests starts at midnight UTC.
const digest = { at: ['00:05', '12:00'], timeZone: 'UTC' }
const ADA: ChannelPerson = { person: 'ada', addresses: { phone: '+ada' }, resolver: true, digest }

class Pager extends Phones {
  readonly digests: DigestMessage[][] = []
  afterDigest: () => void | Promise<void> = () => {}

  async showDigest({ digest: shown, ref }: { digest: DigestMessage; ref: unknown }): Promise<number> {
    const at = typeof ref === 'number' ? ref : this.digests.push([]) - 1
    this.digests[at]!.push(shown)
    await this.afterDigest()
    return at
  }

  newest(nth = 0): DigestMessage {
    return this.digests[nth]!.at(-1)!
  }
}

async function digestDesk(tool = pay(), person: object = {}): Promise<{ at: Desk; pager: Pager }> {
  const says = Array.from({ length: 4 }, () => [calls('pay'), 'Paid.']).flat()
  const at = await openDesk({ people: [{ ...ADA, ...person }], says, tools: [tool] })
  return { at, pager: new Pager() }
}

const tasks = async ({ world }: Desk) =>
  (await (await world.store).documents({ tenant: '', kind: 'channels.task', limit: 9 })).items.map(({ id }) => id)

test('two holds are one message at the time of the digest, which says later how each ended', async () => {
  const { at, pager } = await digestDesk()
  const { desk, world, until } = at
  await at.channels({ channels: [pager] })
  await desk.runtime.send('a', 'Pay')
  await desk.runtime.send('b', 'Pay')
  await world.pass(295_000)
  expect([pager.sent, pager.digests]).toEqual([[], []])
  await until(() => pager.digests.length === 1)
  expect(world.clock.now() % 86_400_000).toBeGreaterThanOrEqual(300_000)
  expect(pager.newest()).toMatchObject({ person: 'ada', more: 0, url: 'https://holds.acme.test/holds' })
  expect(pager.newest().holds.map(({ conversationId, may }) => [conversationId, may.approve])).toEqual([
    ['a', true],
    ['b', true],
  ])
  await desk.runtime.reject('a', await heldId(desk, 'pay', 'a'), 'No.', { by: 'grace' })
  await until(() => pager.newest().holds[0]?.end?.how === 'rejected')
  expect(pager.newest().holds[1]?.end).toBeUndefined()
  await desk.runtime.approve('b', await heldId(desk, 'pay', 'b'), { by: 'grace' })
  await until(() => pager.newest().holds[1]?.end?.how === 'approved')
  await until(async () => (await tasks(at)).length === 0)
  expect([pager.sent.length, pager.digests.length, pager.digests[0]!.length]).toEqual([0, 1, 3])
})

test('a hold that is over before the digest is left out, and a digest without holds is not sent', async () => {
  const { at, pager } = await digestDesk()
  await at.channels({ channels: [pager] })
  await at.desk.runtime.send('a', 'Pay')
  await at.world.pass(5000)
  await at.desk.runtime.approve('a', await heldId(at.desk, 'pay', 'a'), { by: 'grace' })
  await at.world.pass(400_000)
  expect([pager.sent, pager.digests]).toEqual([[], []])
  expect(await tasks(at)).toEqual([])
})

test('a hold that would expire before the digest is told at once, and so is one of an agent without a digest', async () => {
  const soon = await digestDesk(asking('pay', 'human', { timeout: '1 min' }))
  await soon.at.channels({ channels: [soon.pager] })
  await soon.at.desk.runtime.send('a', 'Pay')
  await soon.at.until(() => soon.pager.sent.length === 1)
  const other = await digestDesk(pay(), { byAgent: { desk: { digest: 'none' } } })
  await other.at.channels({ channels: [other.pager] })
  await other.at.desk.runtime.send('a', 'Pay')
  await other.at.until(() => other.pager.sent.length === 1)
  expect(other.pager.digests).toEqual([])
})

test('a digest in quiet hours comes when they end', async () => {
  const { at, pager } = await digestDesk(pay(), { quiet: { from: '00:04', to: '00:07', timeZone: 'UTC' } })
  await at.channels({ channels: [pager] })
  await at.desk.runtime.send('a', 'Pay')
  await at.world.pass(415_000)
  expect(pager.digests).toEqual([])
  await at.until(() => pager.digests.length === 1)
})

test('a channel without digests tells each hold at once', async () => {
  const { at } = await digestDesk()
  await at.channels()
  await at.desk.runtime.send('a', 'Pay')
  await at.until(() => at.phones.sent.length === 1)
  expect(at.phones.to('+ada')[0]?.conversationId).toBe('a')
})

test('a person who lost the right before the digest reads nothing of the hold', async () => {
  const { at, pager } = await digestDesk()
  await at.channels({ channels: [pager] })
  await at.desk.runtime.send('a', 'Pay')
  await at.world.pass(5000)
  await new ChannelPeople(await at.world.store).put('', { person: 'ada', addresses: { phone: '+ada' }, digest })
  await at.world.pass(400_000)
  expect([pager.sent, pager.digests]).toEqual([[], []])
})

test('a process that dies after any write: another sends the digest, and updates it', async () => {
  let died = 0
  for (let nth = 1; nth <= 40; nth++) {
    const { at, pager } = await digestDesk()
    const life = mortal(await at.world.store)
    let writes = 0
    const store = new Proxy(life.store, {
      get: (target, name) =>
        name !== 'put'
          ? Reflect.get(target, name)
          : async (put: never) => {
              if (writes >= nth) return new Promise(() => {})
              const result = await (Reflect.get(target, name) as (given: never) => Promise<unknown>)(put)
              if (++writes === nth) life.kill()
              return writes >= nth ? new Promise(() => {}) : result
            },
    })
    await at.channels({ channels: [pager], store })
    await at.desk.runtime.send('a', 'Pay')
    await at.desk.runtime.send('b', 'Pay')
    // One that dies before the digest is followed in time; the others die while they send it.
    await at.world.pass(200_000)
    if (writes < nth) await at.world.pass(110_000)
    if (writes >= nth) died++
    await at.channels({ channels: [pager] })
    await at.until(() => pager.digests.length > 0 && pager.newest(pager.digests.length - 1).holds.length === 2)
    for (const id of ['a', 'b']) await at.desk.runtime.approve(id, await heldId(at.desk, 'pay', id), { by: 'grace' })
    await at.until(() => pager.newest(pager.digests.length - 1).holds.every(({ end }) => end?.by === 'grace'))
    await at.until(async () => (await tasks(at)).length === 0)
    expect(pager.sent).toEqual([])
    if (writes < nth) break
  }
  expect(died).toBeGreaterThan(8)
})

test('times are those of the time zone, also when its clock changes; wrong ones are refused', () => {
  const berlin = { at: ['02:30', '09:00'], timeZone: 'Europe/Berlin' }
  expect(nextDigest(berlin, Date.parse('2030-01-10T08:00:00Z'))).toBe(Date.parse('2030-01-11T01:30:00Z'))
  // On this day, there is no 02:30.
  expect(nextDigest(berlin, Date.parse('2030-03-30T23:00:00Z'))).toBe(Date.parse('2030-03-31T07:00:00Z'))
  const only = { at: ['02:30'], timeZone: 'Europe/Berlin' }
  expect(nextDigest(only, Date.parse('2030-03-30T23:00:00Z'))).toBe(Date.parse('2030-04-01T00:30:00Z'))
  for (const wrong of [{ at: [] }, { at: ['9'] }, { at: ['24:00'] }, { timeZone: 'Mars' }])
    expect(() => checkDigestTimes({ ...berlin, ...wrong })).toThrow(/digest|time zone/)
})

test('settings of an agent replace those for all agents, one by one', () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'UTC' }
  const all = {
    off: ['email'],
    quiet,
    digest,
    byAgent: { desk: { digest: 'none' as const }, ['toString']: { off: [] } },
  }
  expect(preferencesFor(all, 'desk')).toEqual({ off: ['email'], quiet, digest: undefined })
  expect(preferencesFor(all, 'toString')).toEqual({ off: [], quiet, digest })
  expect(preferencesFor(all, 'constructor')).toEqual({ off: ['email'], quiet, digest })
})
