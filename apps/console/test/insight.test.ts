/** The pages for usage, health and replays of the console. */
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

test('usage has a chart and its numbers for each day, model, agent and tool', async () => {
  const page = await here.open('/usage')
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
  const page = await here.open('/health')
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
  const page = await here.open('/replay')
  await page.getByLabel('Other instructions').fill('Be brief.')
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText(/^Of \d+ turns, \d+ asks? for the same calls\.$/).waitFor()
  await page.getByRole('button', { name: /^all/ }).click()
  await page.getByRole('button', { name: 'Compare' }).first().click()
  await page.getByLabel('Comparison').waitFor()
  await looksRight(page, 'replay-many')
  expect(await here.client.conversations.events('story')).toEqual(before)
  expect(here.complaints).toEqual([])
})
