/** Our client and our server with the protocol of 2026-07-28: a waiting call survives a restart of both. */
import { proves } from '@holdpoint/testing'
import { afterEach, expect, test } from 'vitest'
import { startServer, RESOLVER, withKey, type TestServer } from './test-server.ts'
import { calling, errorOf, eventually, startAgent, over, storeInMemory, valueOf } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}
const there = async (more?: Parameters<typeof startServer>[1]): Promise<TestServer> =>
  keep(await startServer(storeInMemory(), more))

test('a tool is called, and its result is validated against its schema', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.add', { a: 1, b: 2 }), { servers: [withKey(other.url)] }))
  await here.runtime.send('c', 'Go')
  expect(valueOf(await here.outcome())).toEqual({ sum: 3 })
  expect(await here.mcp.status()).toMatchObject([{ era: 'modern', version: '2026-07-28', health: 'ready' }])
})

test('an agent is a tool that takes a message, and a conversation can be continued', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.ask_helper', { message: 'Hi' }), { servers: [withKey(other.url)] }))
  await here.runtime.send('c', 'Go')
  const { reply, conversation } = valueOf(await here.outcome()) as { reply: string; conversation: string }
  expect(reply).toBe('I am here to help.')
  const on = calling('far.ask_helper', { message: 'And?', conversation })
  const again = keep(await startAgent(on, { servers: [withKey(other.url)] }))
  await again.runtime.send('c', 'Go')
  expect((await other.runtime.view(conversation))?.turns).toHaveLength(2)
})

test(proves('call.goes-on-with-the-answer', 'a question of a server survives a restart of both sides'), async () => {
  const [serverStore, nearStore] = [storeInMemory(), storeInMemory()]
  const first = await startServer(serverStore)
  const port = Number(new URL(first.url).port)
  const before = await startAgent(calling('far.deploy', { what: 'the site' }), {
    store: nearStore,
    servers: [withKey(first.url)],
  })
  expect(await before.runtime.send('c', 'Go')).toMatchObject({ status: 'held' })
  const { callId } = await before.held()
  await before.close()
  await first.close()

  const second = keep(await startServer(serverStore, { port }))
  const after = keep(await startAgent(['Done.'], { store: nearStore, servers: [withKey(second.url)] }))
  expect(await after.runtime.answer('c', callId, { where: 'prod' })).toMatchObject({ verdict: 'accepted' })
  const next = await eventually(async () => (await after.runtime.pending()).items.find(({ nth }) => nth === 2))
  expect(next).toMatchObject({ callId, reason: 'Really prod?' })
  await after.runtime.answer('c', callId, { answer: 'yes' })
  await over(after)
  expect(valueOf(await after.outcome())).toBe('deployed the site to prod: yes')
})

test(
  proves('answer.never-lost', 'an answer that is given while the server is down is delivered when it is back'),
  async () => {
    const serverStore = storeInMemory()
    const other = await startServer(serverStore)
    const here = keep(await startAgent(calling('far.sign'), { servers: [withKey(other.url)] }))
    await here.runtime.send('c', 'Go')
    const { callId } = await here.held()
    await other.close()
    expect(await here.runtime.answer('c', callId, true)).toMatchObject({ verdict: 'accepted' })
    const waits = await eventually(async () => (await here.runtime.pending()).items.find(({ nth }) => nth === 2))
    expect(waits).toMatchObject({
      kind: 'external',
      reason: 'The MCP server "far" is unavailable. The call is retried.',
    })
    keep(await startServer(serverStore, { port: Number(new URL(other.url).port) }))
    await over(here)
    expect(valueOf(await here.outcome())).toBe('signed: answer')
  },
  160_000,
)

test('declining and cancelling reach the server as such', async () => {
  const other = await there()
  for (const [resolution, told] of [
    [{ kind: 'reject' }, 'not deployed: reject'],
    [{ kind: 'answer', error: 'closed' }, 'not deployed: answer'],
  ] as const) {
    const here = keep(await startAgent(calling('far.deploy', { what: 'it' }), { servers: [withKey(other.url)] }))
    await here.runtime.send('c', 'Go')
    await here.runtime.resolve('c', (await here.held()).callId, resolution)
    await over(here)
    expect(valueOf(await here.outcome())).toBe(told)
  }
})

test('a page to visit is a hold with its address, and the answer only says that the person went there', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.sign'), { servers: [withKey(other.url)] }))
  await here.runtime.send('c', 'Go')
  const hold = await here.held()
  expect(hold).toMatchObject({ url: 'https://sign.acme.test/7', metadata: { mode: 'url' } })
  await here.runtime.answer('c', hold.callId, 'I did')
  await over(here)
  expect(valueOf(await here.outcome())).toBe('signed: answer')
})

test('a call that is held on the server is a task here: its id is stored first, and its result arrives', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.pay', { amount: 5 }), { servers: [withKey(other.url)] }))
  expect(await here.runtime.send('c', 'Go')).toMatchObject({ status: 'held' })
  const held = (await here.runtime.events('c')).find((event) => event.type === 'call.held')
  expect(held).toMatchObject({
    state: { at: 'task', taskId: expect.any(String) as string },
    hold: { kind: 'external' },
  })
  const kept = await here.store.documents({ tenant: '', kind: 'mcp-task', limit: 10 })
  expect(kept.items).toHaveLength(1)

  const [pending] = (await other.runtime.pending()).items
  expect(pending).toMatchObject({ name: 'pay', kind: 'approval' })
  await other.runtime.approve(pending?.conversationId ?? '', pending?.callId ?? '')
  await over(here)
  expect(valueOf(await here.outcome())).toBe('paid 5')
  expect((await here.store.documents({ tenant: '', kind: 'mcp-task', limit: 10 })).items).toEqual([])
}, 80_000)

test('a task is followed by another process after a restart, and cancelled with its call', async () => {
  const other = await there()
  const first = await startAgent(calling('far.pay', { amount: 5 }), { servers: [withKey(other.url)] })
  await first.runtime.send('c', 'Go')
  await first.close()
  const second = keep(await startAgent(['Never mind.'], { store: first.store, servers: [withKey(other.url)] }))
  await eventually(async () => {
    const events = await second.runtime.events('c')
    return events.some((event) => event.type === 'call.resumed') ? true : undefined
  })
  await second.runtime.cancel('c')
  await eventually(async () => ((await other.runtime.pending()).items.length === 0 ? true : undefined))
  await eventually(async () => {
    const { items } = await second.store.documents({ tenant: '', kind: 'mcp-task', limit: 10 })
    return items.length === 0 ? true : undefined
  })
  expect((await other.runtime.list()).items).toMatchObject([{ status: 'idle' }])
}, 160_000)

test('a caller that may approve on the server is asked by the client', async () => {
  const other = await there()
  for (const [answer, told] of [
    [{ approve: true }, 'paid 5'],
    [{ approve: false, reason: 'too much' }, undefined],
  ] as const) {
    const here = keep(await startAgent(calling('far.pay', { amount: 5 }), { servers: [withKey(other.url, RESOLVER)] }))
    await here.runtime.send('c', 'Go')
    const hold = await here.held()
    expect(hold.reason).toBe('May "pay" run with {"amount":5}?\nDescription of the tool: Pays')
    await here.runtime.answer('c', hold.callId, answer)
    await over(here)
    if (told) expect(valueOf(await here.outcome())).toBe(told)
    else expect(errorOf(await here.outcome())).toBe('Rejected: too much')
  }
})

test('a question without an answer schema takes text', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.name'), { servers: [withKey(other.url)] }))
  await here.runtime.send('c', 'Go')
  await here.runtime.answer('c', (await here.held()).callId, { answer: 'Ada' })
  await over(here)
  expect(valueOf(await here.outcome())).toBe('Ada')
})

test('progress is passed on', async () => {
  const other = await there()
  const here = keep(await startAgent(calling('far.count'), { servers: [withKey(other.url)] }))
  await here.runtime.create({ id: 'c', agent: 'desk' })
  const seen: unknown[] = []
  const stop = new AbortController()
  const following = (async () => {
    for await (const item of here.runtime.subscribe('c', { signal: stop.signal }))
      if (item.type === 'call-progress') seen.push(item.value)
  })()
  await here.runtime.send('c', 'Go')
  stop.abort()
  await following
  expect(seen).toContainEqual({ progress: 2, total: 3, message: 'at 2' })
})

test('cancelling a turn cancels the call on the server', async () => {
  const slow = await there()
  const here = keep(await startAgent(calling('far.count'), { servers: [withKey(slow.url)] }))
  const going = here.runtime.send('c', 'Go')
  await eventually(async () =>
    (await slow.runtime.list()).items.some(({ status }) => status === 'running') ? true : undefined,
  )
  await here.runtime.cancel('c')
  await going
  const ended = await eventually(async () => {
    const [row] = (await slow.runtime.list()).items
    return (await slow.runtime.view(row?.id ?? ''))?.turns[0]?.ended
  })
  expect(ended.reason).toBe('cancelled')
})
