/** Web Push against a push service that checks the signature of the server and keeps what it cannot read; a browser reads it. */
import { createECDH, createHmac, createDecipheriv, randomBytes, type ECDH } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Channels } from '@holdpoint/channels'
import { webPushChannel } from '@holdpoint/channel-web-push'
import { scriptedModel } from '@holdpoint/testing'
import { decodeJwt, importJWK, jwtVerify } from 'jose'
import { agent, holdpoint, memoryStore, tool, type Runtime } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import webPush from 'web-push'
import { z } from 'zod'

const VAPID = webPush.generateVAPIDKeys()

interface Push {
  readonly path: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | undefined>>
}

interface Service {
  readonly url: string
  readonly pushes: Push[]
  /** Answers to the next requests, instead of 201. */
  readonly failures: number[]
}

async function pushService(): Promise<Service> {
  const pushes: Push[] = []
  const failures: number[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      const { authorization = '' } = request.headers
      const [, token = '', key = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(authorization) ?? []
      const raw = Buffer.from(key, 'base64url')
      const jwk = {
        kty: 'EC',
        crv: 'P-256',
        x: raw.subarray(1, 33).toString('base64url'),
        y: raw.subarray(33).toString('base64url'),
      }
      const valid = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: url }).catch(() => undefined)
      if (!valid || key !== VAPID.publicKey) return void response.writeHead(403).end()
      const failure = failures.shift()
      if (failure !== undefined) return void response.writeHead(failure).end()
      pushes.push({ path: request.url ?? '', body, headers: request.headers as Push['headers'] })
      response.writeHead(201).end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, pushes, failures }
}

interface Browser {
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** What the service worker of this browser gets. */
  read(push: Push): {
    readonly title: string
    readonly body: string
    readonly url: string
    readonly tag: string
    readonly over: boolean
  }
}

function browser(url: string): Browser {
  const ecdh = createECDH('prime256v1')
  const [p256dh, auth] = [ecdh.generateKeys(), randomBytes(16)]
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
  return {
    subscription: { endpoint: url, keys },
    read: ({ body }) => JSON.parse(decrypted(body, ecdh, p256dh, auth).toString()) as ReturnType<Browser['read']>,
  }
}

/** RFC 8188 and 8291, with Node's own functions. */
function decrypted(body: Buffer, ecdh: ECDH, p256dh: Buffer, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16)
  const server = body.subarray(21, 21 + body[20]!)
  const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer => {
    const made = createHmac('sha256', key)
    for (const part of parts) made.update(part)
    return made.digest()
  }
  const shared = hmac(auth, ecdh.computeSecret(server))
  const input = hmac(shared, 'WebPush: info\0', p256dh, server, Buffer.from([1]))
  const secret = hmac(salt, input)
  const key = hmac(secret, 'Content-Encoding: aes128gcm\0\u0001').subarray(0, 16)
  const nonce = hmac(secret, 'Content-Encoding: nonce\0\u0001').subarray(0, 12)
  const sealed = body.subarray(21 + body[20]!)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  // The padding ends with a 2.
  return text.subarray(0, text.lastIndexOf(2))
}

interface Desk extends Service {
  readonly hp: Runtime
  readonly channels: Channels
  readonly problems: unknown[]
}

async function desk(): Promise<Desk> {
  const service = await pushService()
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({ to: z.string() }),
    approval: { required: true, reason: 'A secret reason.' },
    run: () => 'paid',
  })
  const model = scriptedModel([{ calls: [{ name: 'pay', input: { to: 'a secret receiver' } }] }, 'Done.'])
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], news: true })
  const problems: unknown[] = []
  const push = webPushChannel({ store, contact: 'mailto:ops@acme.test', ...VAPID, privateHosts: true })
  const channels = Channels.open({
    runtime: hp,
    store,
    channels: [push],
    url: 'https://holds.acme.test',
    onProblem: (error) => problems.push(error),
  })
  onTestFinished(async () => {
    await channels.close()
    await hp.close()
  })
  return { ...service, hp, channels, problems }
}

test('every browser of a person gets a title and a link, without arguments and reasons; the end replaces it', async () => {
  const { hp, channels, pushes, url } = await desk()
  const [a, b] = [browser(`${url}/a`), browser(`${url}/b`)]
  for (const { subscription } of [a, b, a]) await channels.people.addDevice('', 'ada', subscription, { resolver: true })
  expect((await channels.people.devices('', 'ada'))?.items).toHaveLength(2)
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(pushes).toHaveLength(2))
  const at = (path: string): Push => pushes.findLast((push) => push.path === path)!
  const { callId } = (await hp.pending()).items[0]!
  const first = a.read(at('/a'))
  expect(first).toEqual({
    title: 'desk asks to run pay',
    body: '',
    url: `/holds/c/${callId}`,
    tag: first.tag,
    over: false,
  })
  expect(b.read(at('/b'))).toEqual(first)
  expect(() => b.read(at('/a'))).toThrow('authenticate data')
  expect(pushes.map(({ body }) => body.toString('latin1')).join()).not.toContain('desk')
  expect(at('/a').headers).toMatchObject({ urgency: 'high', topic: first.tag, 'content-encoding': 'aes128gcm' })
  expect(decodeJwt(/t=([^,]+)/.exec(at('/a').headers['authorization'] ?? '')![1]!)).toMatchObject({
    sub: 'mailto:ops@acme.test',
  })
  await hp.reject('c', callId, 'A secret reason.', { by: 'grace' })
  await vi.waitFor(() => expect(pushes).toHaveLength(4))
  expect(a.read(at('/a'))).toEqual({ ...first, title: 'pay: rejected by grace', over: true })
})

test('a browser that is gone is forgotten, and a service that is down is tried again', async () => {
  const { hp, channels, pushes, failures, problems, url } = await desk()
  const [gone, here] = [browser(`${url}/gone`), browser(`${url}/here`)]
  failures.push(410)
  await channels.people.addDevice('', 'ada', gone.subscription, { resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(async () => expect((await channels.people.devices('', 'ada'))?.items).toEqual([]))
  expect(pushes).toEqual([])
  await channels.people.addDevice('', 'ada', here.subscription, { resolver: true })
  failures.push(503)
  await hp.cancel('c')
  await vi.waitFor(() => expect(pushes).toHaveLength(1))
  expect(problems).toHaveLength(1)
  expect(here.read(pushes[0]!)).toMatchObject({ title: 'pay: cancelled', over: true })
})

test('a person who may not decide is told nothing, and a person who is removed has no browsers', async () => {
  const { hp, channels, pushes, url } = await desk()
  await channels.people.addDevice('', 'eve', browser(`${url}/e`).subscription, { resolver: false })
  await channels.people.addDevice('', 'ada', browser(`${url}/a`).subscription, { resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(pushes.map(({ path }) => path)).toEqual(['/a']))
  await channels.people.remove('', 'ada')
  expect((await channels.people.devices('', 'ada'))?.items).toEqual([])
  // To register again gives no right: that is the admin's.
  expect(await channels.people.find('', 'eve')).toEqual({ person: 'eve', addresses: { 'web-push': 'eve' } })
})

test('an admin who sets the addresses of a person does not take their browsers away', async () => {
  const { hp, channels, pushes, url } = await desk()
  await channels.people.addDevice('', 'ada', browser(`${url}/a`).subscription, { resolver: true })
  await channels.people.put('', { person: 'ada', addresses: { email: 'ada@acme.test' }, resolver: true })
  const addresses = { email: 'ada@acme.test', 'web-push': 'ada' }
  expect(await channels.people.find('', 'ada')).toEqual({ person: 'ada', addresses, resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(pushes.map(({ path }) => path)).toEqual(['/a']))
  await channels.people.put('', { person: 'eve', addresses: { email: 'eve@acme.test' } })
  expect((await channels.people.find('', 'eve'))?.addresses).toEqual({ email: 'eve@acme.test' })
})

test('what is no subscription is refused, and so are wrong keys and an address without TLS', async () => {
  const { channels, url } = await desk()
  const { endpoint, keys } = browser(`${url}/a`).subscription
  for (const wrong of [
    {},
    { endpoint },
    { endpoint: 'file:///etc/passwd', keys },
    { endpoint: 'x'.repeat(3000), keys },
    { endpoint, keys: { ...keys, p256dh: 'short' } },
    { endpoint, keys: { ...keys, auth: '<>' } },
    { endpoint, keys: { ...keys, auth: 7 } },
  ])
    await expect(channels.people.addDevice('', 'ada', wrong, { resolver: true })).rejects.toThrow('not a subscription')
  expect(await channels.people.find('', 'ada')).toBeUndefined()
  const options = { store: memoryStore(), contact: 'mailto:ops@acme.test', ...VAPID }
  await expect(webPushChannel(options).devices!.add('', 'ada', { endpoint, keys })).rejects.toThrow(
    'not a subscription',
  )
  expect(() => webPushChannel({ ...options, publicKey: 'x' })).toThrow('generate-vapid-keys')
  expect(() => webPushChannel({ ...options, contact: 'ops' })).toThrow('generate-vapid-keys')
})
