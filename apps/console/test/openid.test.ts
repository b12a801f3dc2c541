/** A person signs in to the console in a browser, on the pages of a real OpenID provider, and signs out. */
import { memoryStore } from '@holdpoint/core'
import { connect } from '@holdpoint/client'
import { serve, siteFromFolder, type Served } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint } from 'holdpoint'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CLIENT, openIdProvider, type OpenIdProvider } from '../../../test/kit/openid-kit.ts'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let provider: OpenIdProvider
let served: Served
let ahead = 0
/** This test uses its browser and the console that it builds. */
let here: Stage
beforeAll(async () => {
  here = await stage()
  provider = await openIdProvider({
    ada: { name: 'Ada Lovelace', groups: ['finance'] },
    grace: { name: 'Grace Hopper', groups: ['finance', 'ops'] },
    bob: { name: 'Bob', groups: ['guests'] },
  })
  const now = (): number => Date.now() + ahead
  const store = memoryStore({ now })
  const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model: scriptedModel([]) })] })
  served = await serve({
    runtime,
    store,
    now,
    site: siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url))),
    limits: { heartbeatMs: 200 },
    auth: {
      openId: {
        issuer: provider.issuer,
        ...CLIENT,
        name: 'Acme',
        scopesByGroup: { finance: ['agent', 'resolver', 'reader'], ops: ['admin'] },
      },
    },
  })
  provider.register(served.url)
})
afterAll(async () => {
  await here.close()
  await served.close()
  await provider.close()
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await here.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  // The provider's page asks for a font.
  await context.route(/googleapis/, (route) => route.abort())
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(served.url + path)
  return page
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

test('a person signs in on the pages of the provider, sees their name, and signs out here and there', async () => {
  const page = await open('/settings?x=1')
  await page.getByRole('heading', { name: 'Sign in to Holdpoint' }).waitFor()
  await signIn(page, 'ada')
  await page.getByText('Signed in as Ada Lovelace').waitFor()
  expect(page.url(), 'the page that was open').toBe(`${served.url}/settings?x=1`)
  await page.getByText('Your groups: finance.').waitFor()
  expect(await page.getByRole('heading', { name: 'Keys' }).count(), 'what would be refused is not shown').toBe(0)
  expect(await page.evaluate(() => document.cookie), 'scripts cannot read the session').toBe('')
  await shoot(page, 'signed-in')
  await page.setViewportSize({ width: 390, height: 800 })
  await shoot(page, 'signed-in-narrow')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await page.getByText('Signed in as Ada Lovelace').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Holdpoint' }).waitFor()
  expect(page.url()).toBe(`${served.url}/`)
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await page.getByPlaceholder('Enter any login').waitFor()
})

test('what a person writes is stored under their id, whatever name is in the settings', async () => {
  const page = await open('/conversations')
  await page.evaluate(() => localStorage.setItem('holdpoint.preferences', '{"name":"mallory"}'))
  await signIn(page, 'grace')
  await page.getByText('Signed in as Grace Hopper').waitFor()
  await page.goto(`${served.url}/conversations/c1`)
  await page.getByRole('textbox').fill('Good morning')
  await page.getByRole('textbox').press('Enter')
  await page.getByText('Good morning').first().waitFor()
  const { key } = await served.gateway.keys.create('', { name: 'test', scopes: ['reader'] })
  // The page shows a message before it is stored.
  await vi.waitFor(async () => {
    const { items } = await connect({ url: served.url, key }).conversations.events('c1')
    expect(items[0]).toMatchObject({ type: 'turn.started', items: [{ message: { by: 'grace' } }] })
  })
})

test('after the session has expired, the person signs in again and is back on the page', async () => {
  const page = await open('/holds')
  await signIn(page, 'ada')
  await page.getByRole('heading', { name: 'Holds' }).first().waitFor()
  ahead += 8 * 3_600_000
  await page.getByText('Your session has ended. Sign in again to continue on this page.').waitFor()
  expect(page.url()).toBe(`${served.url}/holds`)
  await shoot(page, 'session-ended')
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await page.getByText('Signed in as Ada Lovelace').waitFor()
  expect(page.url()).toBe(`${served.url}/holds`)
})

test('a tab does not show one person and write as another: a sign-in in another tab changes it too', async () => {
  const page = await open('/settings')
  await signIn(page, 'ada')
  await page.getByText('Signed in as Ada Lovelace').waitFor()
  const cookies = await page.context().cookies()
  const other = await open('/settings')
  await signIn(other, 'grace')
  await other.getByText('Signed in as Grace Hopper').waitFor()
  await page.context().addCookies((await other.context().cookies()).filter(({ name }) => /session-\d/.test(name)))
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await page.getByText('Signed in as Grace Hopper').waitFor()
  expect(cookies.some(({ name, httpOnly }) => name.startsWith('holdpoint-session') && httpOnly)).toBe(true)
})

test('a person without access is told so, and a key still works', async () => {
  const page = await open('/settings')
  await signIn(page, 'bob')
  await page.getByText('You have no access to this gateway.').waitFor()
  expect(page.url(), 'nothing is left in the address').toBe(`${served.url}/settings`)
  await shoot(page, 'sign-in-no-access')
  const { key } = await served.gateway.keys.create('', { name: 'typed', scopes: ['admin'] })
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key').fill(key)
  await shoot(page, 'sign-in-with-key')
  await page.getByRole('button', { name: 'Sign in with the key' }).click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
})

const looks = [
  ['light', { viewport: { width: 1280, height: 800 } }],
  ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 390, height: 800 } }],
] as const

test.each(looks)('the sign-in screen, %s', async (look, options) => {
  const page = await open('/', options)
  await page.getByRole('button', { name: 'Sign in with Acme' }).waitFor()
  await shoot(page, `sign-in-${look}`)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})
