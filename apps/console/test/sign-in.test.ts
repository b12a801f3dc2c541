/**
 * Signing in to the console. With a key in the address of a link, the console shows its owner and asks before it uses the
 * key. With the code in the address that `npm start` prints, one browser is signed in.
 */
import { memoryStore } from '@holdpoint/core'
import { serve, siteFromFolder, type Served } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint } from 'holdpoint'
import type { Page } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let served: Served
const more: Served[] = []
/** This test uses its browser and the console that it builds. */
let here: Stage
beforeAll(async () => {
  here = await stage()
  served = await gatewayWithPages()
})
afterAll(async () => {
  await here.close()
  for (const each of [served, ...more]) await each.close()
})

async function gatewayWithPages(openConsole = false): Promise<Served> {
  const store = memoryStore({ now: Date.now })
  const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model: scriptedModel([]) })] })
  const site = siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url)))
  return serve({ runtime, store, site, openConsole })
}

const keyOf = async (tenant: string): Promise<string> =>
  (await served.gateway.keys.create(tenant, { name: `key of ${tenant}`, scopes: ['admin'], mayActFor: true })).key
const open = async (path: string): Promise<Page> => {
  const page = await (await here.browser.newContext()).newPage()
  await page.goto(served.url + path)
  return page
}
/** Opens a link as from a mail program: the page is loaded. */
const follow = async (page: Page, key: string): Promise<void> => {
  await page.goto('about:blank')
  await page.goto(`${served.url}/settings#key=${key}`)
}
const kept = (page: Page): Promise<string | null> => page.evaluate(() => sessionStorage.getItem('holdpoint.key'))

test('a link with a key names its tenant and asks, and signs in only on a click', async () => {
  const key = await keyOf('mallory')
  const page = await open(`/settings#key=${key}`)
  await page.getByText('Sign in with the key in this link?').waitFor()
  expect(await page.getByRole('definition').allTextContents()).toEqual([
    new URL(served.url).host,
    'mallory',
    expect.stringContaining('key'),
    'admin',
  ])
  expect(await kept(page), 'the key is not used yet').toBeNull()
  expect(page.url(), 'the key is out of the address').toBe(`${served.url}/settings`)
  await shoot(page, 'key-offer')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  expect(await kept(page)).toBe(key)
})

test('a link does not end the session of a user who declines, and names the session that it would end', async () => {
  const [mine, theirs] = [await keyOf('acme'), await keyOf('mallory')]
  const page = await open(`/settings#key=${mine}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await follow(page, theirs)
  await page.getByText('This tab is signed in to the tenant acme').waitFor()
  await shoot(page, 'key-offer-instead')
  expect(await kept(page)).toBe(mine)
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  expect(await page.getByText('key of acme').count()).toBe(1)
  expect(await kept(page)).toBe(mine)
})

test('a link with an invalid key changes nothing', async () => {
  const mine = await keyOf('acme')
  const page = await open(`/settings#key=${mine}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  for (const bad of ['hp_wrong', '%E2%82%AC', '%']) {
    await follow(page, bad)
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    expect(await kept(page)).toBe(mine)
  }
  const fresh = await open('/settings#key=hp_wrong')
  await fresh.getByText('This gateway does not accept this key.').waitFor()
})

test('the printed address signs in one browser with all its tabs, and does not work in another', async () => {
  const own = await gatewayWithPages(true)
  more.push(own)
  const context = await here.browser.newContext()
  const page = await context.newPage()
  await page.goto(`${own.url}/settings`)
  await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
  // Pasting the address into an open tab does not load the page again.
  await page.goto(own.consoleUrl?.replace('/#', '/settings#') ?? '')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  expect(page.url(), 'the code is out of the address').toBe(`${own.url}/settings`)
  await page.reload()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  const tab = await context.newPage()
  await tab.goto(`${own.url}/settings`)
  await tab.getByRole('heading', { name: 'Keys' }).waitFor()

  const other = await (await here.browser.newContext()).newPage()
  await other.goto(own.consoleUrl ?? '')
  await other.getByText('The code in this address was already used').waitFor()
  await shoot(other, 'key-code-used')
  await tab.goto(own.consoleUrl?.replace('/#', '/settings#') ?? '')
  await tab.getByRole('heading', { name: 'Keys' }).waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
})
