/** The owner of a conversation adds and removes people in the console, each of whom looks at it in their own browser. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Browser, Locator, Page } from 'playwright-core'
import { consoleBrowser } from './console-browser.ts'
import { looksRight } from './looks-right.ts'
import { peopleStage, type PeopleStage } from './people-stage.ts'

/** What a page shows follows from requests that are still under way. */
const SOON = { timeout: 60_000 }
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let browser: Browser
let people: PeopleStage
beforeAll(async () => {
  browser = await consoleBrowser()
  people = await peopleStage(browser)
})
afterAll(async () => {
  await browser.close()
  await people.close()
})

const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' })
async function openPeople(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^People/ }).click()
  return page.getByRole('dialog', { name: 'People in this conversation' })
}

test('the owner adds a person, who reads, writes and leaves; one who is removed is told so', async () => {
  const [cleo, eve] = await Promise.all([people.person('cleo'), people.person('eve')])
  await cleo.client.conversations.send('talk', 'Hello', { agent: 'clerk', wait: 20 })
  const [owner, guest] = await Promise.all([cleo.open('/conversations/talk'), eve.open('/conversations/talk')])
  await guest.getByText('eve is not a participant of conversation "talk". Its owner can add them.').waitFor()
  await expect.poll(() => field(guest).count(), SOON).toBe(0)

  const dialog = await openPeople(owner)
  await dialog.getByText('cleo (you)').waitFor()
  await dialog.getByLabel('Id of the person').fill('eve')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('button', { name: 'Remove eve' }).waitFor()
  await looksRight(owner, 'people-owner')

  await guest.getByRole('button', { name: 'Try again' }).click()
  await field(guest).fill('Good morning')
  await guest.keyboard.press('Enter')
  await owner.getByRole('article').getByText('Good morning').waitFor()
  await expect.poll(() => guest.getByRole('button', { name: 'Erase…' }).count(), SOON).toBe(0)
  const mine = await openPeople(guest)
  await mine.getByText('eve (you)').waitFor()
  await expect.poll(() => mine.getByRole('button', { name: /Remove|Add/ }).count(), SOON).toBe(0)
  await looksRight(guest, 'people-participant')
  await mine.getByRole('button', { name: 'Leave' }).click()
  await mine.getByRole('button', { name: 'Really leave' }).click()
  await guest.getByText('No conversations yet').waitFor()
  await dialog.getByText('eve').waitFor({ state: 'detached' })

  await dialog.getByLabel('Id of the person').fill('eve')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await guest.getByRole('link', { name: /Hello/ }).click()
  await field(guest).waitFor()
  await dialog.getByRole('button', { name: 'Remove eve' }).click()
  await guest.getByText(/This page no longer updates: .*eve is not a participant/).waitFor()
  await expect.poll(() => field(guest).count(), SOON).toBe(0)
  await looksRight(guest, 'people-removed')
  expect(people.complaints).toEqual([])
})

test('a person who may decide a call that waits there reads the conversation, and has no field that would be refused', async () => {
  const [cleo, ann] = await Promise.all([people.person('cleo'), people.person('ann', ['finance'])])
  const call = { name: 'money.refund', input: { order: '17', euros: 250 } }
  await cleo.client.conversations.send('refund', JSON.stringify([call]), { agent: 'clerk', wait: 20 })
  const page = await ann.open('/conversations/refund')
  await page.getByText('You can read this conversation, but not write in it.').waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await expect.poll(() => field(page).count(), SOON).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: /Erase|Stop|Send/ }).count(), SOON).toBe(0)
  const dialog = await openPeople(page)
  await dialog.getByText('cleo').waitFor()
  await expect.poll(() => dialog.getByRole('button').allInnerTexts(), SOON).toEqual(['Close'])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await looksRight(page, 'people-approver')
  expect(people.complaints).toEqual([])
})
