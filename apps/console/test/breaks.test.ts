/** What breaks in the middle: the page, the gateway, the line. Nothing is lost, doubled or stuck. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

/** All that the agent said, as it is on the screen. */
const said = (page: Page): Promise<string> => page.getByRole('article', { name: 'desk said' }).last().innerText()

/** Without what is around the words, and their spaces. */
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').replace(/^desk .*?(?=The lighthouse)/, '')

test('a page that is reloaded in the middle of a reply loses no word of it and doubles none', async () => {
  await here.client.conversations.send('story', 'Tell me a story', { agent: 'desk' })
  const page = await here.open('/conversations/story')
  await page.getByRole('article').getByText('keeper had to agree').waitFor()
  await page.reload()
  await page.getByRole('article').getByText('There was a lighthouse whose keeper had to agree').waitFor()
  expect((await here.client.conversations.view('story'))?.status).toBe('running')
  await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
  const live = words(await said(page))
  await page.reload()
  await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
  expect(live).toBe(words(await said(page)))
  expect(live.match(/lighthouse whose keeper/g)).toHaveLength(1)
})

test('the gateway is killed while a call is held and the page is open; started again, it is approved and goes on', async () => {
  await here.client.conversations.send('mail', 'Write to Ada', { agent: 'desk', wait: 10 })
  const page = await here.open('/conversations/mail')
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await here.kill()
  await page.getByRole('navigation', { name: 'Console' }).getByText('offline, trying again').waitFor()
  await page.locator('main').getByText('offline, trying again').waitFor()
  await here.start()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('article').getByText('is out.').waitFor()
  await page.locator('[data-connection="live"]').waitFor()
  expect(await page.locator('[data-live]').getAttribute('data-live')).toBe('live')
})

test('a page that was offline has everything when it is back, and its tools still run once', async () => {
  await here.client.conversations.send('zone', 'Hello', { agent: 'desk', wait: 10 })
  const page = await here.open('/conversations/zone')
  await page.getByRole('article').getByText('I pretend to be a model').waitFor()
  await page.context().setOffline(true)
  await here.client.conversations.send('zone', 'Which time zone am I in?', { agent: 'desk' })
  await page.getByLabel('Message', { exact: true }).fill('Written offline')
  await vi.waitFor(async () => expect((await here.client.holds.list({ conversationId: 'zone' })).items).toHaveLength(1))
  await page.context().setOffline(false)
  await page
    .getByRole('article')
    .getByText(/You are in .+, where it is/)
    .waitFor()
  expect(await page.getByRole('article', { name: 'desk said' }).count()).toBe(2)
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Written offline')
  expect(here.complaints).toEqual([])
})
