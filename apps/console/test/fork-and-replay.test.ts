/** Fork and replay from the timeline of a conversation. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
  await here.client.conversations.send('story', 'Tell me a story', { agent: 'desk', by: 'you', wait: 20 })
  await here.client.conversations.send('letter', 'Write to Ada that the report is ready', {
    agent: 'desk',
    by: 'you',
    wait: 20,
  })
})
afterAll(() => here.close())

test('a turn is replayed, and both are shown side by side', async () => {
  const page = await here.open('/conversations/story/timeline')
  const events = await here.client.conversations.events('story')
  await page.getByRole('button', { name: 'Replay this turn' }).click()
  await page.getByText('The same calls; the same final text.').waitFor()
  await looksRight(page, 'comparison')
  expect(await here.client.conversations.events('story')).toEqual(events)
  expect(here.complaints).toEqual([])
})

test('a conversation is forked at an event, with its held call, and the fork is opened', async () => {
  const page = await here.open('/conversations/letter/timeline')
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
