/** The evidence about a held call, to read and to print, and the audit log of administrative actions. */
import { createReadStream, readFileSync } from 'node:fs'
import { verifyExport } from 'holdpoint'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { consoleBrowser } from './console-browser.ts'
import { looksRight } from './looks-right.ts'
import { peopleStage, type PeopleStage } from './people-stage.ts'

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

test('the evidence of a call says what was shown, who was asked, and who decided how; it can be printed', async () => {
  const [cleo, ann, ben] = await Promise.all([
    people.person('cleo'),
    people.person('ann', ['finance']),
    people.person('ben', ['finance']),
  ])
  const call = { name: 'money.refund', input: { order: '17', euros: 250 } }
  const sent = await cleo.client.conversations.send('refund', JSON.stringify([call]), { agent: 'clerk', wait: 20 })
  const [hold] = 'result' in sent ? (sent.result?.holds ?? []) : []
  const { callId } = hold!
  await ann.client.holds.comment('refund', callId, 'The order is real.')
  await ann.client.holds.approve('refund', callId)
  await ben.client.holds.approve('refund', callId)
  const page = await cleo.open('/conversations/refund/timeline')
  await page.getByRole('button', { name: /^\+.*call\.held/ }).click()
  await page.getByRole('link', { name: 'Evidence of this call' }).click()
  await page.getByRole('heading', { name: 'Hold 1: approval, approved' }).waitFor()
  for (const text of ['group:finance', 'More than 100 € is paid back.', 'Comment: The order is real.', 'paid 250'])
    await page.getByText(text).first().waitFor()
  expect(await page.getByText('authenticated by a token').count()).toBe(3)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the log with hashes' }).click()
  const report = await verifyExport(createReadStream(await (await saving).path()))
  expect(report).toMatchObject({ problems: [], logs: [{ tenant: 'shop', id: 'refund' }] })
  expect(report.logs[0]?.signed?.seq).toBe(report.logs[0]?.events)
  const signed = page.getByRole('region', { name: 'Signed head' })
  await signed.getByText(/holdpoint signed head 1\s+of: log\s+tenant: "shop"/).waitFor()
  await looksRight(page, 'evidence')
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('navigation', { name: 'Console' }).isVisible()).toBe(false)
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
  const pdf = await page.pdf()
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(people.complaints).toEqual([])
})

test('the audit log shows who did what, and its chain can be checked', async () => {
  const root = await people.person('root', [], 'admin')
  await root.client.keys.create({ name: 'reports', scopes: ['reader'] })
  await root.client.people.put({ id: 'ann', groups: ['finance'] })
  await root.client.keys.revoke('no-such-key').catch(() => {})
  const page = await root.open('/settings')
  await page.getByRole('link', { name: 'open the audit log' }).click()
  const actions = page.getByRole('list', { name: 'Actions' })
  await actions.getByText('createKey').click()
  await actions.getByText('reports').waitFor()
  await actions.getByText('refused with 404').waitFor()
  // What the first test exported.
  await actions.getByText('hashes: true').waitFor()
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await page.getByText('The chain of 8 entries is whole.').waitFor()
  const signatures = page.getByRole('region', { name: 'Signatures' })
  await signatures.getByText('The newest entry, 8, is signed.').waitFor()
  const { items, current } = await root.client.adminLog.signingKeys()
  await signatures.getByText(current!).waitFor()
  const saving = page.waitForEvent('download')
  await signatures.getByRole('button', { name: 'Save the public key' }).click()
  expect(readFileSync(await (await saving).path(), 'utf8')).toBe(items[0]?.publicKey)
  await looksRight(page, 'admin-log')
  expect(people.complaints).toEqual([])
})
