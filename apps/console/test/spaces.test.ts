/** People and agents in a space, and agents that live: what is said, shown, held and planned, as it happens. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

test('two agents and a person in a space: a chart is shown, an e-mail waits there for approval, and goes out', async () => {
  const page = await here.open('/')
  await page.getByRole('button', { name: 'Get the launch ready' }).click()
  await page.waitForURL(/\/spaces\/front-desk$/)
  await page.getByRole('article', { name: 'desk is writing' }).waitFor()
  await page.getByRole('article', { name: 'desk said' }).getByText('@books, please draw the sales').waitFor()
  await page.getByRole('figure').getByText('Sales by quarter').first().waitFor()
  await page.getByRole('article', { name: 'books said' }).getByText('The third quarter was the best').waitFor()
  const card = page.getByRole('region', { name: /Approve email.send/ })
  await card.getByText('reports.example.org', { exact: true }).waitFor()
  expect(await page.locator('[data-tool="email.send"]').getAttribute('data-status')).toBe('requires_action')
  expect(await page.getByRole('list', { name: 'Members' }).last().innerText()).toContain('at work here')
  await shoot(page, 'space-approval')
  await card.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('article', { name: 'desk said' }).getByText('The e-mail to ada@example.org is out.').waitFor()
  await page.locator('[data-tool="email.send"][data-status="complete"]').waitFor()
  await page.reload()
  await page.getByRole('article', { name: 'desk said' }).getByText('is out.').waitFor()
  expect(await page.getByRole('article', { name: 'you said' }).count()).toBe(1)
  expect(here.complaints).toEqual([])
})
