/** Two people of finance decide from two browsers what a customer asked for, and the customer cannot. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Browser, Locator, Page } from 'playwright-core'
import { consoleBrowser } from './console-browser.ts'
import { looksRight } from './looks-right.ts'
import { peopleStage, type PeopleStage, type Person } from './people-stage.ts'
import { answer, shoot } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let browser: Browser
let people: PeopleStage
let cleo: Person
let ann: Person
let bob: Person
beforeAll(async () => {
  browser = await consoleBrowser()
  people = await peopleStage(browser)
  cleo = await people.person('cleo', ['finance'])
  ann = await people.person('ann', ['finance'])
  bob = await people.person('bob', ['finance'])
})
afterAll(async () => {
  await people.close()
  await browser.close()
})

/** Cleo asks for it, and it is held. */
async function asks(id: string, name: string, input: object): Promise<string> {
  await cleo.client.conversations.send(id, JSON.stringify([{ name, input }]), { agent: 'clerk', wait: 20 })
  const [hold] = (await cleo.client.holds.list({ conversationId: id })).items
  return hold?.callId ?? ''
}
const card = (page: Page, name: string): Locator =>
  page.getByRole('region', { name: new RegExp(`^(?:Approve|Waiting for approval:) ${name}`) })
const approveButton = (page: Page): Locator => page.getByRole('button', { name: 'Approve', exact: true })
/** Rejects all that is open, so that each test begins with an empty inbox. */
async function clear(): Promise<void> {
  for (const { conversationId, callId } of (await ann.client.holds.list({ limit: 200 })).items)
    await ann.client.holds.reject(conversationId, callId)
}

test('the first of finance approves, the second sees their name and approves, and the requester has no button', async () => {
  const callId = await asks('refund', 'money.refund', { order: '17', euros: 250 })
  const [asker, first, second] = await Promise.all([
    cleo.open('/conversations/refund'),
    ann.open('/holds'),
    bob.open('/holds'),
  ])
  await card(asker, 'money.refund').getByText('You asked for this, so another person must approve it.').waitFor()
  expect(await approveButton(asker).count()).toBe(0)
  expect(await asker.getByRole('button', { name: 'Edit…' }).count()).toBe(0)
  await shoot(asker, 'who-decides-requester')
  expect(await cleo.post(`/api/holds/refund/${callId}/resolve`, { kind: 'approve' })).toEqual({
    status: 403,
    detail: expect.stringContaining('was asked for by cleo'),
  })

  for (const words of ['needs 2 people of the group finance, not the requester', 'asked by cleo', '0 of 2 approved'])
    await card(first, 'money.refund').getByText(words).waitFor()
  await card(second, 'money.refund').getByText('0 of 2 approved').waitFor()
  await answer(approveButton(first))
  await first.getByText('Your approval was saved').waitFor()
  await card(second, 'money.refund').getByText('1 of 2 approved: ann').waitFor()
  // What waits for another person now is not Ann's any more.
  await first.getByText('Nothing that you may decide').waitFor()
  await first.getByRole('button', { name: /^All/ }).click()
  await card(first, 'money.refund').getByText('You approved this already.').waitFor()
  await looksRight(first, 'who-decides-approved')
  await looksRight(second, 'who-decides-second')
  await answer(approveButton(second))
  await vi.waitFor(
    async () => expect((await ann.client.holds.list({ conversationId: 'refund' })).items).toEqual([]),
    30_000,
  )
  await asker.getByText('Done.').first().waitFor()
  await asker.goto(`${people.url}/holds`)
  await asker.getByText('Nothing is waiting for you').waitFor()
  expect(people.complaints).toEqual([])
})

test('the requester finds what they asked for in a view of its own', async () => {
  await clear()
  await asks('mine', 'invoice.pay', { invoice: 'A-1', euros: 20 })
  const page = await cleo.open('/holds')
  await page.getByText('Nothing that you may decide').waitFor()
  await page.getByRole('button', { name: /^Asked by me/ }).click()
  await card(page, 'invoice.pay').getByText('You asked for this, so another person must approve it.').waitFor()
  expect(await approveButton(page).count()).toBe(0)
  expect(await page.getByRole('checkbox').count()).toBe(0)
})

test('a person assigns a hold to themselves and comments, and the other browser shows it', async () => {
  await clear()
  await asks('claimed', 'money.refund', { order: '18', euros: 300 })
  const [first, second] = await Promise.all([ann.open('/holds'), bob.open('/holds')])
  await card(first, 'money.refund').getByRole('button', { name: 'Assign to me' }).click()
  await card(second, 'money.refund').getByText('Assigned to ann.').waitFor()
  await second.getByRole('list', { name: 'Waiting calls' }).getByText('assigned to ann').waitFor()
  await card(second, 'money.refund').getByLabel('Comment for the people who decide').fill('The customer called, twice.')
  await second.keyboard.press('Enter')
  const comments = card(first, 'money.refund').getByRole('list', { name: 'Comments' })
  await comments.getByText('The customer called, twice.').waitFor()
  await comments.getByText('bob').waitFor()
  await looksRight(first, 'who-decides-talk')
  // Typing in the comment opened, edited and rejected nothing.
  await card(first, 'money.refund').getByLabel('Comment for the people who decide').pressSequentially('jkaerx')
  expect(await card(first, 'money.refund').getByLabel('Why not?').count()).toBe(0)
  await card(first, 'money.refund').getByRole('button', { name: 'Unassign me' }).click()
  await card(second, 'money.refund').getByRole('button', { name: 'Assign to me' }).waitFor()
  expect(people.complaints).toEqual([])
})

test('three of five are selected by key and approved at once; one that another person answered meanwhile says so', async () => {
  await clear()
  const calls: string[] = []
  for (let nth = 1; nth <= 5; nth++)
    calls.push(await asks(`many${nth}`, 'invoice.pay', { invoice: `B-${nth}`, euros: nth }))
  const page = await ann.open('/holds')
  const list = page.getByRole('list', { name: 'Waiting calls' })
  await vi.waitFor(async () => expect(await list.getByRole('listitem').count()).toBe(5), 30_000)
  await page.getByRole('checkbox', { name: 'Select invoice.pay in many1' }).check()
  await list.getByRole('button').first().focus()
  for (const key of ['j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key)
  const selected = page.getByRole('region', { name: 'Selected holds' })
  await selected.getByRole('heading', { name: '3 selected' }).waitFor()
  for (const invoice of ['B-1', 'B-2', 'B-4']) await selected.getByText(invoice, { exact: true }).waitFor()
  expect(await selected.getByText('B-3', { exact: true }).count()).toBe(0)
  await looksRight(page, 'who-decides-selected')

  // Bob answers one, and Ann's page has not heard of it when she approves.
  await page.route('**/api/holds?*', () => {})
  await page.route('**/api/holds', () => {})
  await bob.client.holds.reject('many2', calls[1] ?? '', 'Paid already.')
  const button = selected.getByRole('button', { name: 'Approve selected (3)' })
  await page.keyboard.press('a')
  expect(await button.evaluate((each) => each === document.activeElement)).toBe(true)
  await answer(button, () => page.keyboard.press('Enter'))
  await selected.getByRole('button', { name: 'Done' }).waitFor()
  const cards = selected.getByRole('region', { name: /Approve invoice.pay/ })
  const verdicts = await cards
    .locator('[data-verdict]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('data-verdict')))
  expect(verdicts).toEqual(['accepted', 'conflict', 'accepted'])
  await cards.nth(1).getByText('bob rejected it').waitFor()
  await looksRight(page, 'who-decides-verdicts')
  await page.unroute('**/api/holds?*')
  await page.unroute('**/api/holds')
  await selected.getByRole('button', { name: 'Done' }).click()
  const open = async (): Promise<readonly string[]> =>
    (await ann.client.holds.list()).items.map(({ conversationId }) => conversationId).toSorted()
  expect(await open()).toEqual(['many3', 'many5'])
  expect(people.complaints).toEqual([])
})

test('a hold that was answered or that appeared after the selection is not in it, and a change takes no answer at once', async () => {
  await clear()
  const calls: string[] = []
  for (let nth = 1; nth <= 2; nth++)
    calls.push(await asks(`late${nth}`, 'invoice.pay', { invoice: `C-${nth}`, euros: nth }))
  const refund = await asks('late0', 'money.refund', { order: 'C-0', euros: 300 })
  const page = await ann.open('/')
  await page.clock.install()
  await page.goto(`${people.url}/holds`)
  await page.getByRole('checkbox', { name: 'Select money.refund in late0' }).check()
  for (const nth of [1, 2]) await page.getByRole('checkbox', { name: `Select invoice.pay in late${nth}` }).check()
  const selected = page.getByRole('region', { name: 'Selected holds' })
  await selected.getByText('C-2', { exact: true }).waitFor()
  await page.clock.pauseAt(Date.now() + 600_000)
  await page.clock.runFor(2000)
  const given: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') given.push(new URL(request.url()).pathname)
  })
  // Another call appears, one of the three is answered elsewhere, and one is approved by the first of two people.
  await asks('late3', 'invoice.pay', { invoice: 'C-3', euros: 3 })
  await bob.client.holds.approve('late1', calls[0] ?? '')
  await bob.client.holds.approve('late0', refund)
  await selected.getByText('It is no longer waiting').waitFor()
  await selected.getByText('It changed after you selected it, so it is left out.').waitFor()
  const button = selected.getByRole('button', { name: 'Approve selected (1)' })
  await button.click({ force: true })
  await selected.getByText('Not answered: this has just appeared, moved or changed.').waitFor()
  expect(given).toEqual([])
  await page.clock.runFor(1000)
  await button.click()
  await selected.getByRole('button', { name: 'Done' }).waitFor()
  expect(given).toEqual([`/api/holds/late2/${encodeURIComponent(calls[1] ?? '')}/resolve`])
  expect((await ann.client.holds.list()).items.map(({ conversationId }) => conversationId)).toEqual(['late0', 'late3'])
})

test('a person lets another decide for them, and ends it', async () => {
  await clear()
  const eve = await people.person('eve')
  const page = await ann.open('/settings')
  await page.getByLabel('Person').fill('eve')
  await page.getByRole('button', { name: 'Let them decide' }).click()
  const list = page.getByRole('list', { name: 'They decide for you' })
  await list.getByText('eve').waitFor()
  await looksRight(page, 'who-decides-delegation')
  await asks('delegated', 'invoice.pay', { invoice: 'D-1', euros: 5 })
  const other = await eve.open('/holds')
  await answer(approveButton(other))
  await vi.waitFor(async () => expect((await ann.client.holds.list()).items).toEqual([]), 30_000)
  const events = await ann.client.delegations.list({ view: 'given' })
  expect(events.items).toMatchObject([{ from: 'ann', to: 'eve' }])
  await page.getByRole('button', { name: 'End for eve' }).click()
  await list.waitFor({ state: 'detached' })
  await asks('refused', 'invoice.pay', { invoice: 'D-2', euros: 6 })
  await other.goto(`${people.url}/holds`)
  await other.getByText('Nothing is waiting for you').waitFor()
  expect(people.complaints).toEqual([])
})
