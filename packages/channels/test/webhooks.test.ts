/** Webhooks over real HTTP, read by the libraries that receivers use. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { heldId, World } from '../../../test/kit/runtime-kit.ts'
import { Webhooks } from '../src/webhooks.ts'
import { openDesk } from './kit.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that answers with the next of these statuses, then with 200. */
async function receiver(statuses: readonly number[] = []): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received.push({ headers: request.headers, body: await text(request) })
    response.writeHead(statuses[received.length - 1] ?? 200).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

/** The clock of these tests is the real one: the libraries refuse old timestamps. */
async function deskNow(): Promise<Awaited<ReturnType<typeof openDesk>>> {
  const desk = await openDesk()
  await desk.world.clock.advance(Date.now() - desk.world.clock.now())
  return desk
}

const typesOf = (received: readonly Received[]): readonly string[] =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type)

test("a receiver verifies our webhooks with its own library: standardwebhooks, and OpenAI's client", async () => {
  const { url, received } = await receiver()
  const { desk, channels, until } = await deskNow()
  const { webhooks } = await channels({ privateHosts: true })
  const { secret } = await webhooks.create('', { url, events: ['hold.opened', 'hold.closed'] })
  await desk.runtime.send('c', 'Pay', { by: 'ada' })
  const callId = await heldId(desk, 'pay')
  await desk.runtime.approve('c', callId, { by: 'grace' })
  await until(() => received.length === 2)
  expect(typesOf(received).toSorted()).toEqual(['hold.closed', 'hold.opened'])
  for (const { body, headers } of received) {
    const given = headers as Record<string, string>
    expect(new Webhook(secret).verify(body, given)).toEqual(JSON.parse(body))
    const unwrapped = await new OpenAI({ apiKey: 'none', webhookSecret: secret }).webhooks.unwrap(body, given)
    expect(unwrapped).toMatchObject({ data: { conversationId: 'c', callId, hold: 1, tool: 'pay', kind: 'approval' } })
    expect(() => new Webhook(secret).verify(body.replace('"c"', '"d"'), given)).toThrow('signature')
  }
  const closed = received.find(({ body }) => body.includes('hold.closed'))
  expect(JSON.parse(closed?.body ?? '')).toMatchObject({ data: { end: { how: 'approved', by: 'grace' } } })
})

test('a receiver that fails gets the same message again, with longer and longer waits, and the log has each attempt', async () => {
  const { url, received } = await receiver([500, 503])
  const { desk, channels, until, world } = await deskNow()
  const { webhooks } = await channels({ privateHosts: true })
  const { id } = await webhooks.create('', { url, events: ['turn.ended'] })
  await desk.runtime.send('c', 'Hello')
  await desk.runtime.cancel('c')
  await until(() => received.length === 1)
  await until(() => received.length === 2)
  await world.pass(290_000)
  expect(received).toHaveLength(2)
  await until(() => received.length === 3)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const one = async () => (await webhooks.deliveries('', id)).items[0]
  await until(async () => (await one())?.status === 'delivered')
  expect((await one())?.attempts.map(({ status }) => status)).toEqual([500, 503, 200])
})

test('a delivery can be sent again, and a receiver that is gone is not asked again', async () => {
  const { url, received } = await receiver([410])
  const { desk, channels, until } = await deskNow()
  const opened = await channels({ privateHosts: true })
  const { id } = await opened.webhooks.create('', { url, events: ['turn.ended'] })
  await desk.runtime.send('c', 'Hello')
  await desk.runtime.cancel('c')
  const one = async () => (await opened.webhooks.deliveries('', id)).items[0]
  await until(async () => (await one())?.status === 'failed')
  expect(await opened.replay('', 'wh_none/0/x')).toBe(false)
  expect(await opened.replay('other', (await one())!.id)).toBe(false)
  expect(await opened.replay('', (await one())!.id)).toBe(true)
  await until(async () => (await one())?.status === 'delivered')
  expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id'])
})

test('after a rotation, receivers with the old and with the new secret verify for a day', async () => {
  const { url, received } = await receiver()
  const { desk, channels, until, world } = await deskNow()
  const { webhooks } = await channels({ privateHosts: true })
  const { id, secret } = await webhooks.create('', { url, events: ['turn.ended'] })
  const next = await webhooks.rotate('', id)
  expect(await webhooks.rotate('', 'wh_none')).toBeUndefined()
  await desk.runtime.send('c', 'Hello')
  await desk.runtime.cancel('c')
  await until(() => received.length === 1)
  const verifies = (key: string, { body, headers }: Received): unknown =>
    new Webhook(key).verify(body, headers as Record<string, string>)
  for (const key of [secret, next!]) expect(verifies(key, received[0]!)).toMatchObject({ type: 'turn.ended' })
  await world.clock.advance(86_400_001)
  await desk.runtime.send('d', 'Hello')
  await desk.runtime.cancel('d')
  await until(() => received.length === 2)
  expect(String(received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1)
})

test('a webhook to the network of the operator is refused, and so is an address that is none', async () => {
  const { url, received } = await receiver()
  const { desk, channels, until } = await deskNow()
  const { webhooks } = await channels()
  const { id } = await webhooks.create('', { url })
  await desk.runtime.send('c', 'Pay')
  await until(async () => ((await webhooks.deliveries('', id)).items[0]?.attempts.length ?? 0) > 0)
  expect((await webhooks.deliveries('', id)).items[0]?.attempts[0]?.error).toBeDefined()
  expect(received).toEqual([])
  for (const wrong of ['ftp://a', 'nothing', 'https://u:p@a.test'])
    await expect(webhooks.create('', { url: wrong })).rejects.toThrow('http(s)')
  await expect(webhooks.create('', { url, events: ['hold.eaten' as never] })).rejects.toThrow('There is no event')
})

test('a tenant sees only its own webhooks, and gets only its own events', async () => {
  const { url, received } = await receiver()
  const { desk, channels, world } = await deskNow()
  const { webhooks } = await channels({ privateHosts: true })
  const { id } = await webhooks.create('acme', { url })
  expect(await webhooks.list('other')).toEqual([])
  expect(await webhooks.remove('other', id)).toBe(false)
  await desk.runtime.tenant('other').send('c', 'Pay')
  await world.pass(5000)
  expect(received).toEqual([])
  expect(JSON.stringify(await webhooks.list('acme'))).not.toContain('whsec_')
})

test('after the last wait, a delivery has failed', async () => {
  const { store: opened, clock } = new World()
  const store = await opened
  const webhooks = new Webhooks({ store, now: clock.now, fetch: () => Promise.reject(new Error('no route')) })
  await webhooks.create('', { url: 'https://a.test' })
  const event = {
    type: 'turn.ended',
    timestamp: '',
    data: { tenant: '', conversationId: 'c', turnId: 't', reason: '' },
  } as const
  const item = {
    id: '1/c',
    tenant: '',
    conversationId: 'c',
    at: 1,
    news: { type: 'turn.ended', turnId: 't', reason: 'completed' },
  } as const
  const [task] = await webhooks.tasksFor(item, event)
  const { webhook } = task!.what as { webhook: { id: string } }
  const signal = new AbortController().signal
  expect(await webhooks.work('', webhook.id, signal, false)).toMatchObject({ failed: {} })
  expect(await webhooks.work('', webhook.id, signal, true)).toEqual({ done: true })
  expect((await webhooks.deliveries('', webhook.id.split('/')[0]!)).items[0]?.status).toBe('failed')
  expect(await webhooks.tasksFor(item, event), 'the same event again').toEqual([])
})

test('a signed request wakes an agent once; a wrong, old or missing signature wakes none', async () => {
  const { desk, channels, world } = await deskNow()
  const opened = await channels()
  const standard = await opened.triggers.create('', { agent: 'desk', name: 'order' })
  const github = await opened.triggers.create('', { agent: 'desk', name: 'push', scheme: 'github' })
  const body = '{"order":7}'
  const post = async (id: string, headers: Record<string, string>, text = body): Promise<number | undefined> =>
    (await opened.answer(new Request(`https://a.test/triggers/${id}`, { method: 'POST', headers, body: text })))?.status
  const at = new Date()
  const signed = (secret: string, id = 'msg_1', when = at) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(when.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, when, body),
  })
  const other = await opened.triggers.create('', { agent: 'desk', name: 'other' })
  expect(await post(standard.id, {})).toBe(401)
  expect(await post(standard.id, signed(other.secret))).toBe(401)
  expect(await post(standard.id, signed(standard.secret, 'msg_1', new Date(Date.now() - 3_600_000)))).toBe(401)
  expect(await post(standard.id, signed(standard.secret), '{"order":8}')).toBe(401)
  expect(await post('tr_none', signed(standard.secret))).toBe(401)
  const hub = `sha256=${createHmac('sha256', github.secret).update(body).digest('hex')}`
  expect(await post(github.id, { 'x-hub-signature-256': hub })).toBe(401)
  expect(await post(github.id, { 'x-hub-signature-256': `${hub}0`, 'x-github-delivery': 'd1' })).toBe(401)
  expect((await desk.runtime.list()).items).toEqual([])

  expect(await post(standard.id, signed(standard.secret))).toBe(202)
  expect(await post(standard.id, signed(standard.secret))).toBe(202)
  expect(await post(github.id, { 'x-hub-signature-256': hub, 'x-github-delivery': 'd1' })).toBe(202)
  await world.calm()
  const queued = (await world.log('agent:desk')).filter((event) => event.type === 'message.queued')
  expect(queued.map(({ item }) => item.kind === 'event' && item.event)).toMatchObject([
    { type: 'trigger', name: 'order', data: { order: 7 }, by: `trigger:${standard.id}` },
    { type: 'trigger', name: 'push', data: { order: 7 }, by: `trigger:${github.id}` },
  ])
})
