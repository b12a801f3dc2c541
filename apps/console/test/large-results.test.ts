/** Results that are too large for a page: it is never empty without a word. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('clerk-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

/** One turn, with a result of that size. */
async function report(id: string, agent: string, megabytes: number): Promise<void> {
  const calls = [{ name: 'report.make', input: { megabytes } }]
  expect(await here.client.conversations.send(id, JSON.stringify(calls), { agent })).toMatchObject({ ok: true })
  await vi.waitFor(async () => {
    const { items } = await here.client.conversations.list()
    expect(items.find((each) => each.id === id)?.status).toBe('idle')
  }, 30_000)
}

test('a result of 20 MB is an error that says so, and the conversation can be read', async () => {
  await report('large', 'clerk', 20)
  const page = await here.open('/conversations/large')
  await page.getByText('Done.').first().waitFor()
  await page.getByRole('button', { name: /report.make/ }).click()
  await page.getByText('and 1 MB is the most that is kept').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('of many results that are large together, the newest turns are shown, and the others on demand', async () => {
  for (let nth = 0; nth < 5; nth++) await report('many', 'archive', 5)
  const page = await here.open('/conversations/many')
  await page.getByText('Done.').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'Show what was said before' }).waitFor()
})

test('where the operator allows results that no page can read, the page says so, and offers to try again', async () => {
  await report('huge', 'archive', 20)
  const page = await here.open('/conversations/huge')
  const alert = page.getByRole('alert').filter({ hasText: 'This cannot be shown' })
  await alert.getByText('larger than 16000000 characters').waitFor()
  expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  // And one that was open before.
  const open = await here.open('/conversations/huger')
  await open.locator('[data-live="live"]').waitFor()
  await report('huger', 'archive', 20)
  await open.getByRole('alert').filter({ hasText: 'Nothing new is shown here' }).waitFor()
})

test('a page whose script fails, or whose gateway does not answer, is not empty', async () => {
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
  await page.getByText('a script of it could not be loaded').waitFor()
})
