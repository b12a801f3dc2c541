/** A process of the channels dies: people are told at least once, every copy is right in the end, and nothing is decided twice. */
import type { Store } from 'holdpoint'
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { heldId } from '../../../test/kit/runtime-kit.ts'
import { mortal, openDesk, type Desk } from './kit.ts'

/** The store of a process that dies after its nth write. */
function diesAfterWrite(store: Store, nth: number): { readonly store: Store; readonly writes: () => number } {
  const life = mortal(store)
  let writes = 0
  const put: Store['put'] = async (given) => {
    // The dead write nothing: what was under way at the death must not go on.
    if (writes >= nth) return new Promise<never>(() => {})
    const result = await store.put(given)
    if (++writes === nth) life.kill()
    return writes >= nth ? new Promise<never>(() => {}) : result
  }
  return {
    store: new Proxy(life.store, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) }),
    writes: () => writes,
  }
}

async function rightInTheEnd({ desk, phones, until }: Desk): Promise<void> {
  const ends = (): boolean => phones.sent.length > 0 && phones.to('+ada').at(-1)?.end?.by === 'grace'
  await until(ends)
  expect(phones.sent.length, 'a message that was shown, and not marked, is shown again').toBeLessThanOrEqual(2)
  expect((await desk.runtime.pending()).items).toEqual([])
}

test('a process that dies between the commit and the message: the next one sends it', async () => {
  const at = await openDesk()
  await at.desk.runtime.send('c', 'Pay')
  await at.world.calm()
  // No process ran the channels until now.
  await at.channels()
  await at.until(() => at.phones.sent.length === 1)
  await at.desk.runtime.approve('c', await heldId(at.desk, 'pay'), { by: 'grace' })
  await rightInTheEnd(at)
  expect(at.phones.sent).toHaveLength(1)
})

test('a process that dies between the message and its mark: the message is sent again, after the claim ended', async () => {
  const at = await openDesk()
  const life = mortal(await at.world.store)
  at.phones.after = () => {
    life.kill()
    at.phones.after = () => {}
    return new Promise(() => {})
  }
  await at.channels({ store: life.store })
  await at.desk.runtime.send('c', 'Pay')
  await at.until(() => at.phones.sent.length === 1)
  await at.channels()
  await at.world.pass(30_000)
  expect(at.phones.sent, 'the dead process may still be at work').toHaveLength(1)
  await at.until(() => at.phones.sent.length === 2)
  await at.desk.runtime.approve('c', await heldId(at.desk, 'pay'), { by: 'grace' })
  await rightInTheEnd(at)
})

test(
  proves(
    'channel.told-at-least-once',
    'a process that dies after any of its writes: another tells, updates and finishes',
  ),
  async () => {
    let died = 0
    for (let nth = 1; nth <= 40; nth++) {
      const at = await openDesk()
      const { store, writes } = diesAfterWrite(await at.world.store, nth)
      await at.channels({ store })
      await at.desk.runtime.send('c', 'Pay')
      await at.world.pass(3000)
      await at.desk.runtime.approve('c', await heldId(at.desk, 'pay'), { by: 'grace' })
      await at.world.pass(3000)
      if (writes() < nth) break
      died++
      const before = at.phones.sent.length
      await at.channels()
      if (before > 0) await rightInTheEnd(at)
      else {
        // The hold was over before any message was sent: there is nothing to tell.
        await at.world.pass(70_000)
        expect(at.phones.sent).toEqual([])
      }
      const { store: all } = at.world
      const left = async () => (await (await all).documents({ tenant: '', kind: 'channels.task', limit: 9 })).items
      await at.until(async () => (await left()).length === 0)
    }
    expect(died).toBeGreaterThan(5)
  },
)

test('two processes at work at once send each message once', async () => {
  const at = await openDesk()
  await Promise.all([at.channels(), at.channels(), at.channels()])
  for (const id of ['a', 'b', 'c', 'd']) await at.desk.runtime.send(id, 'Pay')
  await at.until(() => at.phones.sent.length >= 4)
  await at.world.pass(70_000)
  expect(
    at.phones.sent.map(({ versions }) => versions[0]?.conversationId ?? '').toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(['a', 'b', 'c', 'd'])
})
