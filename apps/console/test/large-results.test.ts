/** Results that are too large for a page: the page shows a preview or an error, never nothing. */
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('clerk-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

/** Runs one turn with a result of that size. */
async function report(id: string, agent: string, megabytes: number): Promise<void> {
  const calls = [{ name: 'report.make', input: { megabytes } }]
  expect(await here.client.conversations.send(id, JSON.stringify(calls), { agent })).toMatchObject({ ok: true })
  await vi.waitFor(async () => {
    const { items } = await here.client.conversations.list()
    expect(items.find((each) => each.id === id)?.status).toBe('idle')
  }, 30_000)
}

test('of a result of 20 MB there is a preview, and a link that saves the whole', async () => {
  await report('large', 'clerk', 20)
  const page = await here.open('/conversations/large')
  await page.getByText('Done.').first().waitFor()
  await page.getByRole('button', { name: /report.make/ }).click()
  await page.getByText('This result has 19.1 MB').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'The whole result 19.1 MB' }).click()
  expect(statSync(await (await saved).path()).size).toBe(20_000_011)
  expect(await page.getByRole('alert').count()).toBe(0)
  await looksRight(page, 'large-result')
})

test('of many large results, the newest turns are shown, and the others on demand', async () => {
  for (let nth = 0; nth < 5; nth++) await report('many', 'archive', 5)
  const page = await here.open('/conversations/many')
  await page.getByText('Done.').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'Show earlier messages' }).waitFor()
})

test('a page shows an error and a retry button if the operator allows results that are too large for it', async () => {
  await report('huge', 'archive', 20)
  const page = await here.open('/conversations/huge')
  const alert = page.getByRole('alert').filter({ hasText: 'This cannot be loaded' })
  await alert.getByText('larger than 16000000 characters').waitFor()
  expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  // The same for a page that was already open.
  const open = await here.open('/conversations/huger')
  await open.locator('[data-live="live"]').waitFor()
  await report('huger', 'archive', 20)
  await open.getByRole('alert').filter({ hasText: 'This page no longer updates' }).waitFor()
})

test('a page shows a message if its script fails or its gateway does not answer', async () => {
  const page = await here.open('/conversations')
  await page.route(/\/api\/(?:me|console)/, () => undefined)
  await page.evaluate(() => {
    sessionStorage.clear()
    localStorage.clear()
  })
  await page.goto(`${here.url}/#key=hp_${'x'.repeat(40)}`)
  await page.reload()
  expect((await page.locator('body').innerText()).trim()).not.toBe('')
  await page.route(/assets\/.*\.js/, (route) => route.abort())
  await page.goto(`${here.url}/holds`)
  await page.getByText('a script could not be loaded').waitFor()
})
