/** The search page of the console. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
  const { send } = here.client.conversations
  await send('story', 'Tell me a story', { agent: 'desk', by: 'you', wait: 20 })
  await send('letter', 'Write to Ada that the report is ready', { agent: 'desk', by: 'you', wait: 20 })
})
afterAll(() => here.close())

test('a search finds a held call, is kept in the address and saved by name', async () => {
  const page = await here.open('/search')
  await page.getByText('Searched all').waitFor()
  await page.getByLabel('Where').selectOption('holds')
  await page.getByLabel('State of a call').selectOption('waiting')
  await page.getByLabel('Text').fill('REPORT')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForURL(/\/search\?text=REPORT&in=holds&state=waiting$/)
  const results = page.getByLabel('Results')
  await results.getByRole('link', { name: 'Open the hold' }).waitFor()
  expect(await results.getByRole('article').count()).toBe(1)
  await page.getByLabel('Name of this search').fill('Reports that wait')
  await page.getByRole('button', { name: 'Save' }).click()
  await looksRight(page, 'search')
  await page.goto(`${here.url}/search`)
  await page.getByRole('link', { name: 'Reports that wait' }).click()
  await page.waitForURL(/state=waiting$/)
  await results.getByRole('link', { name: 'Open the hold' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  expect(here.complaints).toEqual([])
})

test('a search without results says so, and the saved one can be removed', async () => {
  const page = await here.open('/search?text=nothing-has-this&state=%3Cb%3E')
  await page.getByText('Nothing was found').waitFor()
  await page.getByLabel('Name of this search').fill('Nothing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Nothing' }).click()
  await page.getByRole('link', { name: 'Nothing' }).waitFor({ state: 'detached' })
  expect(here.complaints).toEqual([])
})
