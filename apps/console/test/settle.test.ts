/** A card that has just appeared, moved or changed accepts no answer, so a double click answers one call. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('clerk-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

/** Makes a conversation with `count` held calls. */
async function mails(id: string, count: number): Promise<void> {
  const calls = Array.from({ length: count }, (_, nth) => ({
    name: 'mail.send',
    input: { to: `${id}${nth}@a.example` },
  }))
  await here.client.conversations.send(id, JSON.stringify(calls), { agent: 'clerk', by: 'ada', wait: 20 })
}
const waiting = async (id: string): Promise<number> =>
  (await here.client.holds.list({ conversationId: id })).items.length
const approveButtons = (page: Page): Locator => page.getByRole('button', { name: 'Approve', exact: true })

/** Opens a page and stops its clock once all its cards accept answers. `page.clock` moves the time on. */
async function openAtRest(path: string, cards: number): Promise<Page> {
  const page = await here.open('/')
  await page.clock.install()
  await page.goto(here.url + path)
  await vi.waitFor(async () => expect(await approveButtons(page).count()).toBe(cards), 30_000)
  for (const button of await approveButtons(page).all()) await button.click({ trial: true })
  await page.clock.pauseAt(Date.now() + 600_000)
  await page.clock.runFor(2000)
  return page
}

/** Counts the answers that the page sends. */
function answers(page: Page): { count: number } {
  const told = { count: 0 }
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/holds\//.test(request.url())) told.count++
  })
  return told
}

async function centreOf(button: Locator): Promise<readonly [x: number, y: number]> {
  const box = await button.boundingBox()
  if (!box) throw new Error('It is not on the screen.')
  return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]
}
/** The position of the last Approve button. */
const placeOf = (page: Page): Promise<readonly [x: number, y: number]> => centreOf(approveButtons(page).last())

test('a double click on Approve answers one call, and the next card stays where it is', async () => {
  await mails('twice', 2)
  const page = await openAtRest('/conversations/twice', 2)
  const given = answers(page)
  const first = await centreOf(approveButtons(page).first())
  const before = await placeOf(page)
  await page.mouse.dblclick(...first)
  await vi.waitFor(async () => expect(await approveButtons(page).count()).toBe(1), 30_000)
  await page.mouse.dblclick(...first)
  expect(await placeOf(page)).toEqual(before)
  // After a while the empty place is removed. The card that moves there accepts no answer at first.
  for (let passed = 0; (await placeOf(page))[1] === before[1]; passed += 100) {
    expect(passed).toBeLessThan(10_000)
    await page.clock.runFor(100)
  }
  await page.mouse.click(...(await placeOf(page)))
  await page.getByText('Not answered: this has just appeared, moved or changed.').waitFor()
  expect(await waiting('twice')).toBe(1)
  expect(given.count).toBe(1)
  await page.clock.runFor(1000)
  await page.mouse.click(...(await placeOf(page)))
  await vi.waitFor(async () => expect(await waiting('twice')).toBe(0), 30_000)
  await page.close()
})

test('in the inbox a double click answers one call, and a key pressed twice answers one call', async () => {
  for (const id of ['inbox1', 'inbox2', 'inbox3', 'inbox4']) await mails(id, 1)
  const page = await openAtRest('/holds', 1)
  const given = answers(page)
  await page.mouse.dblclick(...(await placeOf(page)))
  await page.waitForURL(/\/holds\/inbox2\//)
  await page.mouse.dblclick(...(await placeOf(page)))
  for (const key of ['Enter', ' ']) {
    await page.keyboard.press('a')
    await page.keyboard.press(key)
  }
  await page.getByText('Not answered: this has just appeared, moved or changed.').waitFor()
  expect(given.count).toBe(1)
  await page.clock.runFor(1000)
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/holds\/inbox3\//)
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  expect(given.count).toBe(2)
  // The form for the reason accepts no answer from the key that opened it, even if the key repeats.
  await page.clock.runFor(1000)
  await page.getByRole('button', { name: 'Reject…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Why not?').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('Not answered').waitFor()
  expect(given.count).toBe(2)
  expect(await waiting('inbox3')).toBe(1)
  await page.close()
})

test('a hold that was answered elsewhere leaves its place in the inbox, and the next one accepts no answer at first', async () => {
  for (const { conversationId, callId } of (await here.client.holds.list()).items)
    await here.client.holds.reject(conversationId, callId)
  for (const id of ['gone1', 'gone2']) await mails(id, 1)
  const page = await openAtRest('/holds', 1)
  const given = answers(page)
  const place = await placeOf(page)
  const row = page.getByRole('list', { name: 'Waiting calls' }).getByRole('button')
  const second = await centreOf(row.last())
  const [hold] = (await here.client.holds.list({ conversationId: 'gone1' })).items
  await here.client.holds.reject('gone1', hold?.callId ?? '')
  await page.getByRole('status').getByText('no longer waiting').waitFor()
  await page.mouse.click(...place)
  expect(await centreOf(row.last())).toEqual(second)
  for (let passed = 0; (await approveButtons(page).count()) === 0; passed += 100) {
    expect(passed).toBeLessThan(10_000)
    await page.clock.runFor(100)
  }
  await page.mouse.click(...(await placeOf(page)))
  await page.getByText('Not answered').waitFor()
  expect(given.count).toBe(0)
  expect(await waiting('gone2')).toBe(1)
  await page.close()
})
