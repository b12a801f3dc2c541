/** The tour: with the mouse, with the keyboard alone, and in two tabs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { answer, shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

/** Starts a stop of the tour and waits for its conversation. */
async function take(page: Page, say: string): Promise<void> {
  await page.goto(here.url)
  await page.getByRole('button', { name: say }).click()
  await page.waitForURL(/\/conversations\//)
}

test('the tour, from an e-mail to approve to a search at the vendor', async () => {
  const page = await here.open('/')
  await page.getByRole('heading', { name: 'Tool calls that wait for you' }).waitFor()

  await take(page, 'Write to Ada')
  const card = page.getByRole('region', { name: /Approve email.send/ })
  await card.getByText('ada@example.org', { exact: true }).waitFor()
  await card.getByText('reports.example.org', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Console' }).getByText('waiting for you').waitFor()
  await shoot(page, 'approval')
  await card.getByRole('button', { name: 'Edit' }).click()
  await card.getByLabel('subject').fill('The report is ready')
  await card.getByRole('list', { name: 'Changes' }).getByText('The report is ready').waitFor()
  await shoot(page, 'approval-edited')
  await answer(card.getByRole('button', { name: 'Approve with 1 change' }))
  await page.getByText('The e-mail to ada@example.org is out.').first().waitFor()
  await page.getByRole('button', { name: /email.send/ }).click()
  await page.getByText('approved it with changes').first().waitFor()

  await take(page, 'Ask for a budget')
  const form = page.getByRole('region', { name: 'How much may the launch cost?' })
  await form.getByLabel('amount').fill('0')
  await answer(form.getByRole('button', { name: 'Answer' }))
  await form.getByText('One field is not valid yet.').waitFor()
  expect(await form.getByLabel('amount').getAttribute('aria-invalid')).toBe('true')
  await shoot(page, 'form')
  await form.getByLabel('amount').fill('2500')
  await answer(form.getByRole('button', { name: 'Answer' }))
  await page.getByText('the launch may cost 2500 EUR').first().waitFor()

  await take(page, 'Which time zone')
  await page
    .getByText(/You are in .+, where it is/)
    .first()
    .waitFor()

  await take(page, 'Build the quarterly report')
  await page.getByRole('progressbar').waitFor()
  await shoot(page, 'progress')

  await take(page, 'Ship the parcel')
  await answer(page.getByRole('button', { name: 'Approve', exact: true }))
  await page.getByText('It is on its way').first().waitFor()

  await take(page, 'Draw a chart')
  await page.getByRole('figure').getByText('Sales by quarter').first().waitFor()

  await take(page, 'Search the web')
  await page.getByText('run by the vendor').waitFor()
  await page.getByText('High water at Dover').first().waitFor()
  expect(here.complaints).toEqual([])
  expect(here.otherHosts).toEqual([])
})

test('of two tabs that answer the same hold, the second shows that it was too late, and the first answer', async () => {
  const first = await here.open('/')
  await take(first, 'Write to Ada')
  await first.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  // This tab gets no more updates, so it shows an old state.
  const second = await here.open('/')
  await second.route(/\/(?:events|changes)/, () => undefined)
  await second.goto(first.url())
  await second.getByRole('button', { name: 'Reject' }).click()
  await answer(first.getByRole('button', { name: 'Approve', exact: true }))
  await first.getByText('is out.').first().waitFor()
  await second.getByLabel('Why not?').fill('Not today')
  await answer(second.getByRole('button', { name: 'Reject', exact: true }), () =>
    second.getByLabel('Why not?').press('Enter'),
  )
  const told = second.locator('[data-verdict="conflict"]')
  await told.waitFor()
  expect(await told.innerText()).toMatch(/^Too late: another answer came first\..*approved it .+ ago/s)
})

test('all calls in the inbox are answered with the keyboard alone', async () => {
  for (const id of ['k1', 'k2', 'k3'])
    await here.client.conversations.send(id, 'Write to Ada', { agent: 'desk', wait: 10 })
  const page = await here.open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  await page.goto(`${here.url}/holds`)
  await page.getByRole('list', { name: 'Waiting calls' }).getByRole('button').first().waitFor()
  for (let presses = 0; presses < 25; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.getAttribute('aria-current') === 'true')) break
  }
  await page.keyboard.press('j')
  await page.waitForURL(/\/holds\/k2\//)
  // From here on the page hears of nothing new: what it goes on to, it knows by itself.
  const heard = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/holds',
    async (route) => {
      await heard.promise
      await route.continue()
    },
  )
  await answer(page.getByRole('button', { name: 'Approve', exact: true }), async () => {
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
  })
  await page.getByText('Your answer was saved').waitFor()
  await vi.waitFor(async () => expect(await here.client.holds.list({ conversationId: 'k2' })).toEqual({ items: [] }))
  await page.waitForURL(/\/holds\/k3\//)
  await page.keyboard.press('r')
  await page.keyboard.type('Not this one')
  await answer(page.getByRole('button', { name: 'Reject', exact: true }), () => page.keyboard.press('Enter'))
  await vi.waitFor(async () => {
    const view = await here.client.conversations.view('k3')
    expect(JSON.stringify(view)).toContain('Not this one')
  })
  await page.waitForURL(/\/holds\/k1\//)
  heard.resolve()
  await here.client.conversations.cancel('k1')
  await page
    .getByText('Nothing is waiting for you')
    .or(page.getByText('This call is no longer waiting'))
    .or(page.getByRole('list', { name: 'Waiting calls' }).getByRole('button'))
    .first()
    .waitFor()
})

test('a user chats with the keyboard alone, and the newest message stays visible', async () => {
  const page = await here.open('/conversations')
  await page.getByRole('button', { name: 'New conversation' }).press('Enter')
  await page.waitForURL(/\/conversations\/./)
  await page.getByLabel('Message', { exact: true }).focus()
  await page.keyboard.type('Tell me a story')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('no ship was ever lost').waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await page.keyboard.type('Another story')
  await page.keyboard.press('Enter')
  await vi.waitFor(
    async () => expect(await page.getByRole('article').getByText('no ship was ever lost').count()).toBe(2),
    15_000,
  )
  // A message sent during a turn is refused.
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  const atBottom = (): Promise<boolean> =>
    page
      .getByRole('region', { name: 'Messages' })
      .evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 50)
  expect(await atBottom()).toBe(true)
  // A reader who scrolled up stays there.
  await page.getByRole('region', { name: 'Messages' }).evaluate((list) => list.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  await page.getByLabel('Message', { exact: true }).fill('Write to Ada')
  await page.getByRole('button', { name: 'Send' }).click()
  // The call now waits for an approval.
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  expect(await atBottom()).toBe(false)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  await page.getByText('The turn ended: cancelled').waitFor()
})
