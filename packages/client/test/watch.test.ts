/** Lists that stay current: loaded again after a change and after a reconnect. */
import { expect, test, vi } from 'vitest'
import { desk } from './desk.ts'
import { keepUnchanged } from '../src/keep-unchanged.ts'

test('a watched list of holds follows all conversations, and keeps items that did not change', async () => {
  const { client } = await desk()
  const holds = client.watch(() => client.holds.list())
  const leave = holds.subscribe(() => {})
  await vi.waitFor(() => expect(holds.state).toMatchObject({ value: { items: [] }, connection: { state: 'live' } }))

  await client.conversations.send('c1', 'refund Ada')
  await vi.waitFor(() => expect(holds.state.value?.items).toMatchObject([{ conversationId: 'c1', name: 'refund' }]))
  const [first] = holds.state.value?.items ?? []
  await client.conversations.send('c2', 'refund Bob')
  await vi.waitFor(() => expect(holds.state.value?.items).toHaveLength(2))
  expect(holds.state.value?.items[0]).toBe(first)

  await client.holds.approve('c1', first?.callId ?? '')
  await vi.waitFor(() => expect(holds.state.value?.items).toMatchObject([{ conversationId: 'c2' }]))
  leave()
  await vi.waitFor(() => expect(client.changes.connection.state).toBe('off'))
})

test('changes during a lost connection are loaded after the reconnect', async () => {
  const { client, line, runtime } = await desk()
  const holds = client.watch(() => client.holds.list())
  holds.subscribe(() => {})
  await vi.waitFor(() => expect(holds.state.connection.state).toBe('live'))
  line.refuse(true)
  await vi.waitFor(() => expect(client.changes.connection.state).toBe('waiting'))
  await runtime.submit('c1', 'refund Ada', { agent: 'desk' })
  line.refuse(false)
  await vi.waitFor(() => expect(holds.state).toMatchObject({ value: { items: [{ conversationId: 'c1' }] } }), 20_000)
})

test('all watchers of a client share one connection', async () => {
  const { client, line } = await desk()
  const before = line.opened
  for (let nth = 0; nth < 5; nth++) client.watch(async () => nth).subscribe(() => {})
  await vi.waitFor(() => expect(client.changes.connection.state).toBe('live'))
  expect(line.opened - before).toBe(1)
})

test('an equal result is the same object as before, and so is each item of a list that stays', () => {
  const before = {
    items: [
      { id: 'a', x: [1, { y: 2 }] },
      { id: 'b', x: 1 },
    ],
    next: 'n',
  }
  expect(keepUnchanged(before, structuredClone(before))).toBe(before)
  const next = {
    items: [
      { id: 'b', x: 1 },
      { id: 'c', x: 3 },
    ],
  }
  const after = keepUnchanged(before, structuredClone(next))
  expect(after).toEqual(next)
  expect(after.items[0]).toBe(before.items[1])
  expect(keepUnchanged(undefined, next)).toBe(next)
  expect(keepUnchanged({ by: 'ada' }, { by: 'grace' })).toEqual({ by: 'grace' })
  expect(keepUnchanged(null, { items: [] })).toEqual({ items: [] })
})
