/** Search, usage, health, replays and forks in the console: one gateway and one browser for all of them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
let page: Page
beforeAll(async () => {
  here = await stage()
  // One window for all tests, which keeps the files of the console.
  page = await here.open('/search')
  const { send } = here.client.conversations
  await send('story', 'Tell me a story', { agent: 'desk', by: 'you', wait: 20 })
  await send('letter', 'Write to Ada that the report is ready', { agent: 'desk', by: 'you', wait: 20 })
})
afterAll(() => here.close())

test('a search finds a held call, is kept in the address and saved by name', async () => {
  await page.goto(here.url + '/search')
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
  await page.goto(here.url + '/search?text=nothing-has-this&state=%3Cb%3E')
  await page.getByText('Nothing was found').waitFor()
  await page.getByLabel('Name of this search').fill('Nothing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Nothing' }).click()
  await page.getByRole('link', { name: 'Nothing' }).waitFor({ state: 'detached' })
  expect(here.complaints).toEqual([])
})

test('usage has a chart and its numbers for each day, model, agent and tool', async () => {
  await page.goto(here.url + '/usage')
  await page.getByText(/^Counted \d+ conversations?\.$/).waitFor()
  const models = page.getByLabel('Numbers by model')
  await models.getByRole('rowheader').first().waitFor()
  expect(await page.getByLabel('Numbers by tool').getByRole('row').allInnerTexts()).toContainEqual(
    expect.stringContaining('email.send'),
  )
  await looksRight(page, 'usage')
  await page.getByRole('button', { name: 'last day' }).click()
  await page.getByText(/^Counted \d+ conversations?\.$/).waitFor()
  expect(here.complaints).toEqual([])
})

test('health shows the store and this process, and what an agent writes while it writes it', async () => {
  await page.goto(here.url + '/health')
  await page.getByText('Store, a durable write').waitFor()
  await page.getByText('(answers here)').waitFor()
  await page.getByText('No agent is at work.').waitFor()
  await looksRight(page, 'health')
  const sending = here.client.conversations.send('live', 'Tell me a story', { agent: 'desk', by: 'you', wait: 20 })
  await page.getByRole('link', { name: 'Tell me a story' }).waitFor()
  await sending
  await page.getByText('No agent is at work.').waitFor()
  expect(here.complaints).toEqual([])
})

test('many turns are replayed with a report, and one is compared; nothing is written', async () => {
  const before = await here.client.conversations.events('story')
  await page.goto(here.url + '/replay')
  await page.getByLabel('Other instructions').fill('Be brief.')
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText(/^Of \d+ turns, \d+ asks? for the same calls\.$/).waitFor()
  await page.getByRole('button', { name: /^all/ }).click()
  await page.getByRole('button', { name: 'Compare' }).first().click()
  await page.getByLabel('Comparison').waitFor()
  await looksRight(page, 'replay-many', page.getByLabel('Comparison'))
  expect(await here.client.conversations.events('story')).toEqual(before)
  expect(here.complaints).toEqual([])
})

test('a turn is replayed, and both are shown side by side', async () => {
  await page.goto(here.url + '/conversations/story/timeline')
  const events = await here.client.conversations.events('story')
  await page.getByRole('button', { name: 'Replay this turn' }).click()
  await page.getByText('The same calls; the same final text.').waitFor()
  await looksRight(page, 'comparison', page.getByLabel('Comparison'))
  expect(await here.client.conversations.events('story')).toEqual(events)
  expect(here.complaints).toEqual([])
})

test('a conversation is forked at an event, with its held call, and the fork is opened', async () => {
  await page.goto(here.url + '/conversations/letter/timeline')
  await page.locator('[data-seq]').first().getByRole('button').first().click()
  await page.getByRole('button', { name: 'Fork here' }).waitFor()
  await looksRight(page, 'fork-here')
  await page.locator('[data-seq]').last().getByRole('button').first().click()
  await page.getByLabel('Calls that wait at this event').selectOption('held')
  await page.getByRole('button', { name: 'Fork here' }).click()
  await page.waitForURL((url) => /^\/conversations\/(?!letter)[^/]+$/.test(url.pathname))
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  const { items } = await here.client.holds.list()
  expect(new Set(items.map(({ conversationId }) => conversationId)).size).toBe(2)
  expect(new Set(items.map(({ callId }) => callId)).size).toBe(2)
  expect(here.complaints).toEqual([])
})
