/** Search over HTTP: what is found, who finds it, and what a page costs. */
import { memoryStore } from 'holdpoint'
import { connect } from '@holdpoint/client'
import { expect, test } from 'vitest'
import { personKit, type Ask, type PersonKit } from './person-kit.ts'
import { shipping } from './kit.ts'

async function idsOf(ask: Ask, query: string): Promise<readonly string[]> {
  const { status, body } = await ask('GET', `/api/search?${query}`)
  expect(status).toBe(200)
  return body.items.map(({ id }: { readonly id: string }) => id)
}

async function refunded(here: PersonKit): Promise<Ask> {
  const ada = await here.person('ada')
  await ada('POST', '/api/conversations/hers/messages?wait=5', { content: 'refund 5' })
  await ada('POST', '/api/conversations/talk/messages?wait=5', { content: 'Good MORNING, Ödön' })
  await shipping(here, 'shipped')
  return ada
}

test('text, tool, person, state, place and time find conversations, with what was found in each', async () => {
  const here = await personKit()
  await refunded(here)
  const admin: Ask = (method, path, body) => here.ask(method, path, { body })
  expect(await idsOf(admin, '')).toEqual(['shipped', 'talk', 'hers'])
  expect(await idsOf(admin, 'text=good%20morning')).toEqual(['talk'])
  expect(await idsOf(admin, `text=${encodeURIComponent('O\u0308DO\u0308N')}`)).toEqual(['talk'])
  expect(await idsOf(admin, 'tool=ship')).toEqual(['shipped'])
  expect(await idsOf(admin, 'person=ada')).toEqual(['talk', 'hers'])
  expect(await idsOf(admin, 'in=holds')).toEqual(['shipped', 'hers'])
  expect(await idsOf(admin, 'state=waiting&status=held')).toEqual(['shipped', 'hers'])
  expect(await idsOf(admin, 'in=messages&text=euros')).toEqual([])
  expect(await idsOf(admin, 'in=calls&text=euros')).toEqual(['hers'])
  expect(await idsOf(admin, `since=${Date.now() + 60_000}`)).toEqual([])
  expect(await idsOf(admin, 'until=1000')).toEqual([])
  const { body } = await here.ask('GET', '/api/search?tool=refund')
  const [hold] = (await here.ask('GET', '/api/holds?conversationId=hers')).body.items
  expect(body.items).toMatchObject([
    {
      firstMessage: 'refund 5',
      count: 1,
      found: [{ kind: 'call', tool: 'refund', states: ['waiting'], people: ['ada'], text: '{"euros":5}' }],
    },
  ])
  await here.ask('POST', `/api/holds/hers/${hold.callId}/resolve`, { body: { kind: 'reject', reason: 'No' } })
  expect(await idsOf(admin, 'state=rejected')).toEqual(['hers'])
  expect(await idsOf(admin, 'tool=refund&state=waiting')).toEqual([])
})

test('a person finds what they may read and nothing else', async () => {
  const here = await personKit()
  const ada = await refunded(here)
  const [ben, ava] = [await here.person('ben'), await here.person('ava', 'reader conversations:read-all')]
  const decider = await here.person('dora', 'reader resolver')
  expect(await idsOf(ada, '')).toEqual(['talk', 'hers'])
  expect(await idsOf(ben, '')).toEqual([])
  expect((await ben('GET', '/api/search')).body.searched).toEqual({ conversations: 0, events: 0 })
  expect(await idsOf(ava, '')).toEqual(['shipped', 'talk', 'hers'])
  // She decides about the refund, so she may read its conversation while it waits.
  const read = async (id: string): Promise<number> => (await decider('GET', `/api/conversations/${id}`)).status
  expect([await read('hers'), await read('shipped'), await read('talk')]).toEqual([200, 200, 403])
  expect((await idsOf(decider, '')).toSorted()).toEqual(['hers', 'shipped'])
  const [hold] = (await here.ask('GET', '/api/holds?conversationId=hers')).body.items
  await here.ask('POST', `/api/holds/hers/${hold.callId}/resolve`, { body: { kind: 'reject', reason: 'No' } })
  expect(await idsOf(decider, 'tool=refund')).toEqual([])
  expect((await here.ask('GET', '/api/search', { tenant: 'umbrella' })).body.items).toEqual([])
})

test('an application decides with its own rules what is found', async () => {
  const here = await personKit({ authorize: (_caller, _right, { conversationId }) => conversationId === 'talk' })
  await here.runtime.tenant('acme').send('talk', 'Hello', { by: 'ada' })
  await here.runtime.tenant('acme').send('other', 'Hello', { by: 'ada' })
  expect(await idsOf(await here.person('ada'), 'text=hello')).toEqual(['talk'])
})

test('a secret that is removed from answers is not found by a part of it', async () => {
  const here = await personKit({ secrets: ['sk-very-secret'] })
  await here.ask('POST', '/api/conversations/leak/messages?wait=5', { body: { content: 'Key: sk-very-secret!' } })
  const admin: Ask = (method, path) => here.ask(method, path)
  expect(await idsOf(admin, 'text=sk-very')).toEqual([])
  expect((await here.ask('GET', '/api/search?text=key')).body.items[0].found[0].text).toBe('Key: [redacted]!')
})

/** Conversations without messages. */
async function filled(here: PersonKit, count: number): Promise<readonly string[]> {
  const opened = { type: 'conversation.opened', agent: 'desk' } as const
  const ids = Array.from({ length: count }, (_, index) => `c${String(index).padStart(4, '0')}`)
  const lines = ids.flatMap((id) => [
    { type: 'conversation', data: { id } },
    { type: 'event', conversationId: id, event: { seq: 1, at: 5, ...opened } },
  ])
  const first = { type: 'export', format: 'holdpoint.conversations', version: 1 }
  const whole = [first, ...lines, { type: 'end', conversations: count, events: count }].map((line) =>
    JSON.stringify(line),
  )
  expect(await here.runtime.tenant('acme').import(() => whole)).toMatchObject({ ok: true })
  return ids
}

test('a page reads a limited part of the store, says how much, and the next one goes on', async () => {
  const inner = memoryStore({ now: Date.now })
  let [events, reads] = [0, 0]
  const store = {
    ...inner,
    readBack: async (...asked: Parameters<typeof inner.readBack>) => {
      const found = await inner.readBack(...asked)
      reads++
      events += found.length
      return found
    },
  }
  const here = await personKit({ store, socket: true })
  await filled(here, 2020)
  const client = connect({ url: here.url, key: here.key('acme', 'reader') })
  const first = await client.conversations.search({ text: 'nothing' })
  expect(first).toMatchObject({ items: [], searched: { conversations: 2000, events: 2000 }, next: expect.any(String) })
  // A log of one page is asked for once.
  expect([events, reads]).toEqual([2000, 2000])
  const second = await client.conversations.search({ text: 'nothing', after: first.next! })
  expect(second).toEqual({ items: [], searched: { conversations: 20, events: 20 }, unreadable: 0 })
})

test('pages have each conversation once, also when the one at the end of a page is erased in between', async () => {
  const here = await personKit()
  const ids = await filled(here, 30)
  const found: string[] = []
  for (let after = ''; ;) {
    const { body } = await here.ask('GET', `/api/search?limit=7${after}`)
    found.push(...body.items.map(({ id }: { readonly id: string }) => id))
    if (body.next === undefined) break
    if (found.length === 7) await here.ask('DELETE', `/api/conversations/${found.at(-1)}`)
    after = `&after=${encodeURIComponent(body.next)}`
  }
  expect([...new Set(found)]).toEqual(ids.toReversed())
})

test('a wrong query is refused', async () => {
  const here = await personKit()
  for (const query of ['text=', 'state=lost', 'limit=101', 'since=soon', 'who=ada'])
    expect((await here.ask('GET', `/api/search?${query}`)).status, query).toBe(422)
  for (const after of ['x', '{}', '[1]', '[null,1]', '["x","y"]', '[null,"x","y"]'])
    expect((await here.ask('GET', `/api/search?after=${encodeURIComponent(after)}`)).status, after).toBe(422)
})

test('an approver finds every conversation that waits for her decision, each once, however many there are', async () => {
  const here = await personKit()
  const ids = Array.from({ length: 53 }, (_, index) => `r${String(index).padStart(2, '0')}`)
  const { runtime } = here
  for (const id of ids) await runtime.tenant('acme').send(id, 'refund 5', { agent: 'desk', by: 'ada' })
  const dora = await here.person('dora', 'reader resolver')
  await runtime.tenant('acme').send('hers', 'refund 7', { agent: 'desk', by: 'dora' })
  const found: string[] = []
  const sizes: number[] = []
  for (let after = ''; ;) {
    const { status, body } = await dora('GET', `/api/search?tool=refund${after}`)
    expect(status).toBe(200)
    found.push(...body.items.map(({ id }: { readonly id: string }) => id))
    sizes.push(body.searched.conversations)
    if (body.next === undefined) break
    after = `&after=${encodeURIComponent(body.next)}`
  }
  expect(found.toSorted()).toEqual(['hers', ...ids])
  expect(sizes).toEqual([50, 4])
  for (const after of ['holds:x', 'holds:'])
    expect((await dora('GET', `/api/search?after=${encodeURIComponent(after)}`)).status, after).toBe(422)
  expect((await here.ask('GET', '/api/search?after=holds:x')).status).toBe(422)
})
