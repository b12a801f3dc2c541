/** A person approves a call and remembers it, others pass by the rule, and the rule is revoked. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { consoleBrowser } from './console-browser.ts'
import { looksRight } from './looks-right.ts'
import { peopleStage, type PeopleStage, type Person } from './people-stage.ts'
import { answer } from './stage.ts'

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

const APPROVER = 'agent reader resolver conversations:read-all'

/** Sends a message that makes the agent call `mail.send`, and returns whether the call waits. */
async function mails({ client }: Person, id: string, subject: string, body: string): Promise<boolean> {
  const call = { name: 'mail.send', input: { to: 'ada@acme.test', subject, body } }
  const sent = await client.conversations.send(id, JSON.stringify([call]), { agent: 'clerk', wait: 20 })
  return 'result' in sent && sent.result?.status === 'held'
}

/** The address of the call that waits in a conversation. */
async function holdOf({ client }: Person, conversationId: string): Promise<string> {
  const { items } = await client.holds.list({ conversationId })
  return `/holds/${conversationId}/${items[0]!.callId}`
}

async function remember(page: Page, ticks: readonly string[]): Promise<void> {
  await answer(page.getByRole('button', { name: 'Approve and remember…' }))
  const form = page.getByRole('form', { name: 'Approve and remember' })
  await form.getByText('Tick at least one field.').waitFor()
  for (const name of ticks) await form.getByRole('checkbox', { name: new RegExp(`^${name} `) }).check()
}

test('approve and remember with two fields ticked, the third call passes and says by which rule; after its end, the fourth asks', async () => {
  const [cleo, grace] = await Promise.all([people.person('cleo'), people.person('grace', [], APPROVER)])
  expect(await mails(cleo, 'first', 'Invoice', 'One')).toBe(true)
  const page = await grace.open(await holdOf(grace, 'first'))
  await answer(page.getByRole('button', { name: 'Approve', exact: true }))
  await expect.poll(async () => (await grace.client.holds.list()).items.length, SOON).toBe(0)

  expect(await mails(cleo, 'second', 'Invoice', 'Two')).toBe(true)
  await page.goto(people.url + (await holdOf(grace, 'second')))
  await remember(page, ['to', 'subject'])
  await page
    .getByRole('status')
    .getByText('Allow mail.send when to is "ada@acme.test" and subject is "Invoice".')
    .waitFor()
  await looksRight(page, 'rule-remember')
  await answer(page.getByRole('button', { name: 'Approve and save the rule' }))
  await expect.poll(async () => (await grace.client.holds.list()).items.length, SOON).toBe(0)

  expect(await mails(cleo, 'third', 'Invoice', 'Another body')).toBe(false)
  const talk = await cleo.open('/conversations/third')
  await talk.getByRole('button', { name: /mail\.send.*allowed by a rule/ }).click()
  await talk.getByText(/Decided by rule mail\.send~\S+, version 1/).waitFor()
  await talk.getByText('Allow mail.send when to is "ada@acme.test" and subject is "Invoice".').waitFor()
  await looksRight(talk, 'rule-call')
  expect(await mails(cleo, 'other', 'Reminder', 'Another subject')).toBe(true)

  await page.goto(`${people.url}/rules`)
  await page.getByText('Used once').click()
  await page.getByRole('link', { name: 'third' }).waitFor()
  await page.getByRole('button', { name: 'Try on past calls' }).click()
  await page.getByText('4 past calls of mail.send: 3 allowed, 0 asked about, 0 denied, 1 as before.').waitFor()
  await page.getByText('The rule agrees with what people decided.').waitFor()
  await looksRight(page, 'rules')
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('nothing like it')
  await page.getByText('No rule has this text').waitFor()
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('invoice')
  await page.getByRole('button', { name: 'Revoke…' }).click()
  await page.getByRole('button', { name: 'Really revoke' }).click()
  await page.getByText(/revoked by grace/).waitFor()
  expect(await mails(cleo, 'fourth', 'Invoice', 'Two')).toBe(true)
  expect(people.complaints).toEqual([])
})

test('a rule in shadow mode only records what it would do, until it is enforced', async () => {
  const [cleo, grace] = await Promise.all([people.person('cleo'), people.person('grace', [], APPROVER)])
  expect(await mails(cleo, 'shadow-1', 'Offer', 'One')).toBe(true)
  const page = await grace.open(await holdOf(grace, 'shadow-1'))
  await remember(page, ['subject'])
  await page.getByRole('checkbox', { name: 'Only record what the rule would do' }).check()
  await answer(page.getByRole('button', { name: 'Approve and save the rule' }))
  await expect.poll(async () => (await grace.client.rules.list({ search: 'offer' })).items.length, SOON).toBe(1)
  expect(await mails(cleo, 'shadow-2', 'Offer', 'Two')).toBe(true)
  await page.goto(`${people.url}/rules`)
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('offer')
  await page.getByText('Would have decided once').waitFor()
  await page.getByRole('button', { name: 'Enforce' }).click()
  await page.getByText('version 2').waitFor()
  expect(await mails(cleo, 'shadow-3', 'Offer', 'Three')).toBe(false)
  expect(people.complaints).toEqual([])
})

test('who may not save rules is not offered to remember an approval', async () => {
  const [cleo, eve] = await Promise.all([people.person('cleo'), people.person('eve', [], 'agent reader')])
  expect(await mails(cleo, 'plain', 'Hello', 'One')).toBe(true)
  const page = await eve.open('/holds')
  await expect.poll(() => page.getByRole('button', { name: 'Approve and remember…' }).count(), SOON).toBe(0)
})

test('a rule is tried on 300 recorded calls, and the page shows each that a person decided otherwise', async () => {
  const [cleo, grace] = await Promise.all([people.person('cleo'), people.person('grace', [], APPROVER)])
  const rejected: string[] = []
  for (let round = 0; round < 10; round++) {
    const id = `past-${round}`
    const all = Array.from({ length: 30 }, (_, nth) => ({
      name: 'mail.send',
      input: { to: nth % 2 === 0 ? 'ada@past.test' : 'bob@past.test', subject: `Past ${nth}`, body: `${round}-${nth}` },
    }))
    const text = JSON.stringify(all)
    const sent = await cleo.client.conversations.send(id, text, { agent: 'clerk', wait: 20 })
    const holds = 'result' in sent ? (sent.result?.holds ?? []) : []
    expect(holds).toHaveLength(30)
    for (const { callId, input } of holds) {
      const { to, subject, body } = input as { readonly to: string; readonly subject: string; readonly body: string }
      const wrong = to === 'ada@past.test' && subject === `Past ${round * 2}`
      if (wrong) rejected.push(body)
      if (wrong) await grace.client.holds.reject(id, callId, 'Not this one')
      else await grace.client.holds.approve(id, callId)
    }
  }
  const [hold] = await heldOnce(cleo, grace)
  const rule = { effect: 'allow', tool: 'mail.send', fingerprint: hold!.fingerprint, shadow: true } as const
  await grace.client.rules.save({ ...rule, when: [{ at: '/to', equals: 'ada@past.test' }], reason: 'The past' })
  const page = await grace.open('/rules')
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('the past')
  await page.getByRole('button', { name: 'Try on past calls' }).click()
  const found = page.getByRole('region', { name: 'Past calls' })
  await found.getByText(/past calls of mail\.send: 150 allowed, 0 asked about, 0 denied/).waitFor()
  await found.getByText(`${rejected.length} decisions differ from what happened:`).waitFor()
  expect(await found.getByText('The rule would allow it; a person rejected it (grace).').count()).toBe(rejected.length)
  for (const body of rejected) await found.getByText(body, { exact: true }).first().waitFor()
  await looksRight(page, 'rules-backtest')
  expect(people.complaints).toEqual([])
})

async function heldOnce(cleo: Person, grace: Person): Promise<readonly { readonly fingerprint: string }[]> {
  await mails(cleo, 'for-its-fingerprint', 'Fingerprint', 'One')
  return (await grace.client.holds.list({ conversationId: 'for-its-fingerprint' })).items
}
