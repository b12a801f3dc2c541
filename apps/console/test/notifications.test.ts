/** Notifications in a browser, a person's own settings, and the page of deliveries. */
import { createECDH, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Channels, type Channel } from '@holdpoint/channels'
import { serve, siteFromFolder } from '@holdpoint/gateway'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { models } from './clerk-app.ts'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const KEY = 'k'.repeat(40)
const registered: unknown[] = []
let failing = true
let here: Stage
let url = ''
let close = async (): Promise<void> => {}
let channels: Channels

/** Keeps what a browser registers. */
const push: Channel = {
  name: 'web-push',
  show: async () => null,
  devices: {
    publicKey: createECDH('prime256v1').generateKeys('base64url'),
    add: async (_tenant, _person, device) => (registered.push(device), { id: 'laptop', createdAt: Date.now() }),
    list: async () => (registered.length > 0 ? [{ id: 'laptop', createdAt: Date.now() }] : []),
    remove: async () => registered.splice(0).length > 0,
  },
}
const pager: Channel = {
  name: 'pager',
  show: async () => {
    if (failing) throw new Error('The pager company does not answer.')
    return null
  },
}

beforeAll(async () => {
  here = await stage()
  const store = memoryStore({ now: Date.now })
  const pay = tool({ name: 'pay', description: 'Pay', input: z.object({}).loose(), approval: 'required', run: () => 1 })
  const agents = [agent({ name: 'clerk', tools: [pay], model: models.clerk })]
  const runtime = await holdpoint({ store, agents, news: true })
  channels = Channels.open({
    runtime,
    store,
    channels: [push, pager],
    url: 'https://holds.acme.test',
    privateHosts: true,
    onProblem: () => {},
  })
  await channels.people.put('', { person: 'ada', addresses: { pager: '#1' }, resolver: true })
  await channels.webhooks.create('', { url: 'http://127.0.0.1:9/receiver', events: ['hold.opened'] })
  const site = siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url)))
  const auth = { keys: [{ key: KEY, tenant: '', scopes: ['admin'], mayActFor: true }] } as const
  const served = await serve({ runtime, store, agents, channels, site, auth })
  url = served.url
  close = async () => {
    await channels.close()
    await served.close()
  }
  await runtime.send('c', JSON.stringify([{ name: 'pay', input: {} }]), { by: 'bob' })
})
afterAll(async () => {
  await here.close()
  await close()
})

async function open(path: string): Promise<Page> {
  const context = await here.browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.grantPermissions(['notifications'], { origin: url })
  const device = { endpoint: 'https://push.test/1', keys: { p256dh: 'k', auth: randomBytes(16).toString('base64url') } }
  // Chromium has no push service here: what it would answer.
  await context.addInitScript((made) => {
    PushManager.prototype.subscribe = async () => ({ toJSON: () => made }) as unknown as PushSubscription
  }, device)
  await context.addInitScript((key) => {
    sessionStorage.setItem('holdpoint.key', key)
    localStorage.setItem('holdpoint.preferences', '{"name":"ada"}')
  }, KEY)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(url + path)
  return page
}

/** Sends a push to the service worker, as the browser does when one arrives. */
async function deliver(page: Page, payload: object): Promise<void> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  const registration = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first) resolve(first.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registration
  await cdp.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data: JSON.stringify(payload) })
}

const shown = (page: Page): Promise<readonly { title: string; silent: boolean | null }[]> =>
  page.evaluate(async () => {
    const all = await (await navigator.serviceWorker.ready).getNotifications()
    return all.map(({ title, silent }) => ({ title, silent }))
  })

test('a browser is registered with a button, and a push is a notification that is replaced when the hold is over', async () => {
  const page = await open('/settings')
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByText('A browser, registered').waitFor()
  expect(registered).toMatchObject([{ endpoint: 'https://push.test/1' }])
  const hold = { title: 'clerk asks to run pay', body: '', url: '/holds/c/1', tag: 't1' }
  await deliver(page, { ...hold, over: false })
  await vi.waitFor(async () => expect(await shown(page)).toEqual([{ title: hold.title, silent: false }]))
  await deliver(page, { ...hold, title: 'pay: approved by grace', over: true })
  await vi.waitFor(async () => expect(await shown(page)).toEqual([{ title: 'pay: approved by grace', silent: true }]))
})

test('quiet hours, digests and channels are set in the settings', async () => {
  const page = await open('/settings')
  await page.getByLabel('Quiet from').fill('22:00')
  await page.getByLabel('Quiet until').fill('07:00')
  await page.getByLabel('Tell me together at').fill('9 o’clock')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('A digest has 1 to 24 times').waitFor()
  await page.getByLabel('Tell me together at').fill('09:00, 16:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await vi.waitFor(async () =>
    expect(await channels.people.find('', 'ada')).toMatchObject({
      resolver: true,
      quiet: { from: '22:00', to: '07:00' },
      digest: { at: ['09:00', '16:00'] },
    }),
  )
  await looksRight(page, 'notifications')
})

test('deliveries show the error and the next attempt, and are tried again with a button; a secret is made new', async () => {
  const page = await open('/deliveries')
  const messages = page.getByRole('list', { name: 'Messages' })
  await messages.getByText('The pager company does not answer.').waitFor()
  await page.getByRole('list', { name: 'Deliveries' }).getByText('hold.opened').waitFor()
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('button', { name: 'Really make a new secret' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await looksRight(page, 'deliveries')
  failing = false
  await messages.getByRole('button', { name: 'Try now' }).first().click()
  await vi.waitFor(async () => {
    await page.reload()
    expect(await messages.getByText('shown').count()).toBeGreaterThan(0)
  })
})
