/** News of holds and turns for channels and webhooks: in the store's outbox after commit, whatever dies in between. */
import { readNews, removeNews, type NewsItem } from '@holdpoint/runtime'
import { expect, test } from 'vitest'
import { calls, expectSound, gated, heldId, asking, LEASE, noting, World } from '../../../../test/kit/runtime-kit.ts'
import { places } from '../../../../test/kit/places.ts'

const pay = () => noting([], 'pay', { approval: { required: true, reason: 'It is money.' } })
const setup = { news: true, says: [calls('pay'), 'Paid.'], tools: [pay()] }

async function newsIn(world: World): Promise<readonly string[]> {
  const items = await readNews(await world.store, 100)
  return items.map(({ tenant, conversationId, news }) =>
    [
      tenant,
      conversationId,
      news.type,
      ...(news.type === 'turn.ended' ? [news.reason] : [news.callId.slice(-1), news.hold]),
    ].join(' '),
  )
}

test.each(Object.entries(places))(
  'the outbox has what happened to a hold and its turn: in %s',
  async (_name, place) => {
    const world = new World(place())
    const a = await world.process('a', setup)
    const acme = a.runtime.tenant('acme')
    await acme.send('c', 'Pay', { by: 'ada' })
    await world.calm()
    const [first] = await readNews(await world.store, 1)
    const { news } = first as NewsItem & { news: { callId: string } }
    const id = news.callId.slice(-1)
    await acme.comment('c', news.callId, 'Look twice.', { by: 'grace' })
    await acme.approve('c', news.callId, { by: 'grace' })
    await world.calm()
    const all = [`acme c hold.opened ${id} 1`, `acme c hold.changed ${id} 1`, `acme c hold.closed ${id} 1`]
    expect(await newsIn(world)).toEqual([...all, 'acme c turn.ended completed'])
    expectSound(await world.log('c', 'acme'))

    for (const item of await readNews(await world.store, 100)) await removeNews(await world.store, item)
    expect(await newsIn(world)).toEqual([])
  },
)

test('a second hold of a call closes the first and opens another', async () => {
  const world = new World()
  const a = await world.process('a', {
    news: true,
    says: [calls('ship'), 'Well.'],
    tools: [asking('ship', 'external', gated)],
  })
  await a.runtime.send('c', 'Ship')
  await a.runtime.approve('c', await heldId(a, 'ship'))
  await world.calm()
  const seen = await newsIn(world)
  expect(seen.map((each) => each.replace(/ \w 1$| \w 2$/, ' '.concat(each.slice(-1))))).toEqual([
    ' c hold.opened 1',
    ' c hold.closed 1',
    ' c hold.opened 2',
  ])
})

test('without the option, there is no news', async () => {
  const world = new World()
  const a = await world.process('a', { ...setup, news: false })
  await a.runtime.send('c', 'Pay')
  await a.runtime.approve('c', await heldId(a, 'pay'))
  await world.calm()
  expect(await newsIn(world)).toEqual([])
})

test('a process that dies after any request to the store loses no news, and a process without the option delivers it', async () => {
  let deaths = 0
  for (let nth = 1; nth < 60; nth++) {
    const world = new World()
    let asked = 0
    const a = await world.process('a', {
      ...setup,
      after: (question, _given, life) => {
        if ((question === 'append' || question === 'put') && ++asked === nth) life.kill()
      },
    })
    void a.runtime.submit('c', 'Pay').catch(() => {})
    await world.calm()
    const b = await world.process('b', { ...setup, news: false })
    await world.pass(LEASE + 2000)
    const { items } = await b.runtime.pending()
    // The message itself may have been lost: then its sender was not told that it was accepted.
    if (asked >= nth) deaths++
    if (items.length === 0) continue
    expect((await newsIn(world)).filter((each) => each.includes('hold.opened'))).toHaveLength(1)
    if (asked < nth) break
  }
  expect(deaths).toBeGreaterThan(2)
})
