/** The stock `useChat` in a real browser, against routes of an application's own, whose process is killed. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { chatStage, type ChatStage } from './chat-stage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

let here: ChatStage
beforeAll(async () => {
  here = await chatStage()
})
afterAll(() => here.close())
const pages: Page[] = []
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close()
})
async function open(...args: Parameters<ChatStage['open']>): Promise<Page> {
  const page = await here.open(...args)
  page.setDefaultTimeout(120_000)
  pages.push(page)
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}
const email = (page: Page, state: string): Promise<void> =>
  page.locator(`section[aria-label="tool-sendEmail"][data-state="${state}"]`).waitFor()
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const shows = (page: Page, text: string): Promise<void> => page.locator('article').getByText(text).waitFor()
const answers = (page: Page): Promise<number> => page.locator('article[data-role="assistant"]').count()

test('a held call survives a reload and a killed server, is approved once, and is sent once', async () => {
  const page = await open('held')
  await say(page, 'write to Bo')
  await email(page, 'approval-requested')
  await page.getByText('It leaves the company.').waitFor()
  await page.reload()
  await email(page, 'approval-requested')
  await here.kill()
  await here.start()
  await page.reload()
  await email(page, 'approval-requested')
  await press(page, 'Approve')
  await shows(page, 'The e-mail is out.')
  await email(page, 'output-available')
  expect({ outbox: here.outbox.length, answers: await answers(page) }).toEqual({ outbox: 1, answers: 1 })
  await page.reload()
  await shows(page, 'The e-mail is out.')
  expect(await answers(page)).toBe(1)
})

test('a denied call is not sent', async () => {
  const before = here.outbox.length
  const page = await open('denied')
  await say(page, 'write to Bo')
  await press(page, 'Deny')
  await shows(page, 'Then I will not send it.')
  await email(page, 'output-denied')
  expect(here.outbox.length).toBe(before)
})

test('a client tool runs in the browser, alone and beside an approval', async () => {
  const page = await open('tools')
  await say(page, 'what time')
  await shows(page, 'I know your time zone now.')
  await say(page, 'both please')
  await email(page, 'approval-requested')
  await page.locator('section[aria-label="tool-timeZone"][data-state="output-available"]').nth(1).waitFor()
  await press(page, 'Approve')
  await shows(page, 'The e-mail is out.')
  expect(await answers(page)).toBe(2)
})

// Failed in two of twelve runs beside 15 busy processes, for a reason that is not known yet; the message shows the text.
test('a page that is reloaded in the middle of a story shows each word once', { retry: 2 }, async () => {
  const page = await open('story')
  await say(page, 'a story')
  await shows(page, 'lighthouse whose keeper')
  await page.reload()
  await shows(page, 'The end.')
  const told = await page.locator('article[data-role="assistant"]').innerText()
  expect(told.match(/lighthouse whose keeper/g), told).toHaveLength(1)
  await page.reload()
  await shows(page, 'The end.')
  expect(await page.locator('article[data-role="assistant"]').innerText()).toBe(told)
})

test('the server is killed in the middle of a story and started again: the page shows the story once', async () => {
  const page = await open('killed')
  await say(page, 'a story')
  await shows(page, 'lighthouse whose keeper')
  await here.kill()
  await page.getByRole('alert').waitFor()
  await here.start()
  await press(page, 'Refresh')
  await shows(page, 'The end.')
  const told = await page.locator('article[data-role="assistant"]').innerText()
  expect(told.match(/lighthouse whose keeper/g)).toHaveLength(1)
  expect(await answers(page)).toBe(1)
})

test('a page with a transport that counts goes on by itself after the server was killed, and approves once', async () => {
  const before = here.outbox.length
  const page = await open('counted&counted')
  await say(page, 'a story')
  await shows(page, 'lighthouse whose keeper')
  await here.kill()
  await here.start()
  await shows(page, 'The end.')
  const told = await page.locator('article[data-role="assistant"]').innerText()
  expect(told.match(/lighthouse whose keeper/g)).toHaveLength(1)
  await say(page, 'both please')
  await email(page, 'approval-requested')
  await press(page, 'Approve')
  await shows(page, 'The e-mail is out.')
  expect({ sent: here.outbox.length - before, answers: await answers(page) }).toEqual({ sent: 1, answers: 2 })
  await page.reload()
  await shows(page, 'The e-mail is out.')
  expect({ shown: await page.locator('article').count(), alerts: await page.getByRole('alert').count() }).toEqual({
    shown: 4,
    alerts: 0,
  })
})

test('two tabs approve at the same time: it is sent once, and both show it', async () => {
  const before = here.outbox.length
  const first = await open('tabs')
  await say(first, 'write to Bo')
  await email(first, 'approval-requested')
  const second = await open('tabs')
  await email(second, 'approval-requested')
  await Promise.all([press(first, 'Approve'), press(second, 'Approve')])
  for (const tab of [first, second]) {
    await shows(tab, 'The e-mail is out.')
    await email(tab, 'output-available')
  }
  expect({ sent: here.outbox.length - before, answers: [await answers(first), await answers(second)] }).toEqual({
    sent: 1,
    answers: [1, 1],
  })
})

test('another person answers: the page that refreshes shows it, and a click that came too late says who was first', async () => {
  const [page, late] = [await open('shared'), await open('shared')]
  await say(page, 'write to Bo')
  await email(page, 'approval-requested')
  await late.reload()
  await email(late, 'approval-requested')
  const before = here.outbox.length
  const boss = await open('elsewhere', 'boss')
  await boss.evaluate(() => fetch('/inbox/shared/reject', { method: 'POST' }))
  await press(page, 'Refresh')
  await email(page, 'output-denied')
  await shows(page, 'Then I will not send it.')
  await press(late, 'Approve')
  await late.getByRole('status').getByText('A different answer came first, from boss').waitFor()
  await email(late, 'output-denied')
  expect(here.outbox.length).toBe(before)
})

test('stop ends the turn on the server', async () => {
  const page = await open('stopped')
  await say(page, 'a story')
  await shows(page, 'lighthouse whose keeper')
  await press(page, 'Stop')
  await press(page, 'Refresh')
  await page.getByRole('note').getByText('cancelled').waitFor()
  expect(await answers(page)).toBe(1)
})

test('another person has no access to the conversation', async () => {
  const page = await open('private')
  await say(page, 'hello')
  await shows(page, 'What can I do?')
  const other = await open('elsewhere', 'eve')
  const read = (path: string): Promise<number> => other.evaluate(async (at) => (await fetch(at)).status, path)
  expect([await read('/api/chat/private'), await read('/api/chat/private/stream')]).toEqual([403, 403])
})
