/** A customer asks for a refund, two people of finance approve it, and no one else can. Each signs in with OpenID Connect. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Browser, Locator, Page } from 'playwright-core'
import { consoleBrowser } from './console-browser.ts'
import { looksRight } from './looks-right.ts'
import { refundStage, type RefundStage } from './refund-stage.ts'
import { answer } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let browser: Browser
let shop: RefundStage
let ann: Page
let bob: Page
beforeAll(async () => {
  browser = await consoleBrowser()
  shop = await refundStage(browser)
  ;[ann, bob] = await Promise.all([shop.signIn('ann', '/holds'), shop.signIn('bob', '/holds')])
})
afterAll(async () => {
  await browser.close()
  await shop.close()
})

const card = (page: Page): Locator =>
  page.getByRole('region', { name: /(?:Approve|Waiting for approval:) money.refund/ })
const approveButton = (page: Page): Locator => page.getByRole('button', { name: 'Approve', exact: true })

/** Asks for a refund in a new conversation, and answers the question of the agent. */
async function asksForRefund(page: Page, order: string, onForm = async (): Promise<void> => {}): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill(`I would like a refund of 250 euros for order ${order}`)
  await page.keyboard.press('Enter')
  const form = page.getByRole('region', { name: `Why should we refund order ${order}?` })
  await form.getByLabel('Reason').waitFor()
  await onForm()
  await form.getByLabel('Reason').selectOption('It is broken')
  await form.getByLabel('Anything else?').fill('The handle came off.')
  await answer(form.getByRole('button', { name: 'Answer' }))
  await card(page).getByText('You asked for this, so another person must approve it.').waitFor()
}

/** The request of the button Approve, with the session of the page. */
function postsApproval(page: Page): Promise<{ readonly status: number; readonly detail: string }> {
  return page.evaluate(async () => {
    const { items } = await (await fetch('/api/holds')).json()
    const [{ conversationId, callId }] = items
    const at = [conversationId, callId].map((each) => encodeURIComponent(each)).join('/')
    const refused = await fetch(`/api/holds/${at}/resolve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'approve' }),
    })
    return { status: refused.status, detail: (await refused.json()).detail }
  })
}

test('a customer asks, two people of finance approve, and the customer sees the refund', async () => {
  const carla = await shop.signIn('carla')
  await asksForRefund(carla, '17', async () => {
    await looksRight(carla, 'refund-form')
    // The form is for the customer, not for finance.
    await ann.getByText('Nothing is waiting for you').waitFor()
  })
  expect(await approveButton(carla).count()).toBe(0)
  expect(await carla.getByRole('button', { name: /Reject|Edit/ }).count()).toBe(0)
  await looksRight(carla, 'refund-customer')
  expect(await postsApproval(carla)).toEqual({ status: 403, detail: expect.stringContaining('not for this caller') })

  const dora = await shop.signIn('dora')
  await dora.getByText('No conversations yet').waitFor()
  await dora.getByRole('link', { name: 'Holds' }).click()
  await dora.getByText('Nothing is waiting for you').waitFor()
  await dora.goto(carla.url())
  await dora.getByText(/dora is not a participant of conversation .+\. Its owner can add them\./).waitFor()
  expect(await dora.getByText('order 17').count()).toBe(0)
  await looksRight(dora, 'refund-stranger')

  await card(ann).getByText('0 of 2 approved').waitFor()
  await card(bob).getByText('0 of 2 approved').waitFor()
  await looksRight(ann, 'refund-finance')
  await answer(approveButton(ann))
  await ann.getByText('Your approval was saved').waitFor()
  await card(bob).getByText('1 of 2 approved: ann').waitFor()
  await card(carla).getByText('1 of 2 approved: ann').waitFor()
  expect(shop.paid).toEqual([])
  await looksRight(bob, 'refund-second')
  await answer(approveButton(bob))
  await carla.getByText('We refunded 250 euros for order 17.').first().waitFor()
  expect(shop.paid).toEqual([{ order: '17', euros: 250 }])
  await looksRight(carla, 'refund-paid')
  await ann.getByText('Nothing is waiting for you').waitFor()
  expect(shop.complaints).toEqual([])
})

test('a person of finance cannot approve their own refund', async () => {
  const cleo = await shop.signIn('cleo')
  await asksForRefund(cleo, '18')
  expect(await approveButton(cleo).count()).toBe(0)
  await cleo.getByRole('link', { name: 'Holds' }).click()
  await cleo.getByText('Nothing that you may decide').waitFor()
  expect(await postsApproval(cleo)).toEqual({ status: 403, detail: expect.stringContaining('was asked for by cleo') })
  // The others of the group can.
  await approveButton(ann).waitFor()
  await card(bob).getByText('0 of 2 approved').waitFor()
  expect(shop.paid).toHaveLength(1)
  expect(shop.complaints).toEqual([])
})

test('after a person signed out, their other tab shows the sign-in screen, and no hold', async () => {
  const other = await shop.tab(ann, '/holds')
  await card(other).waitFor()
  await ann.getByRole('button', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: 'Sign in to Holdpoint' }).waitFor()
  await other.getByText('Your session has ended.').waitFor()
  expect(await card(other).count()).toBe(0)
  await looksRight(other, 'refund-signed-out')
  await approveButton(bob).waitFor()
  expect(shop.complaints).toEqual([])
})
