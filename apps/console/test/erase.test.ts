/** An operator erases a conversation in the console, while another page shows it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { violations } from './violations.ts'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

test('a conversation is erased after a confirmation, and every page shows the tombstone', async () => {
  await here.client.conversations.send('letter', 'Write to Ada that the report is ready', { agent: 'desk', wait: 20 })
  const other = await here.open('/conversations/letter')
  await other.getByRole('article').first().waitFor()
  const page = await here.open('/conversations/letter')
  await page.getByRole('button', { name: 'Erase…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase this conversation?' })
  await dialog.getByText('its messages, calls and results').waitFor()
  // An approval is open.
  await dialog.getByText('A turn is in progress or a call waits').waitFor()
  expect(await violations(page)).toEqual([])
  await shoot(page, 'erase')
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await here.client.conversations.view('letter')).not.toHaveProperty('erased')

  await page.getByRole('button', { name: 'Erase…' }).click()
  await dialog.getByLabel('Reason').fill('request 12')
  await dialog.getByRole('button', { name: 'Erase conversation' }).click()
  for (const each of [page, other]) {
    await each.getByText('This conversation was erased').waitFor()
    await each.getByText('request 12').waitFor()
    expect(await each.getByText('the report is ready').count()).toBe(0)
    expect(await each.getByRole('button', { name: 'Erase…' }).count()).toBe(0)
  }
  await shoot(page, 'erased')
  expect(await violations(page)).toEqual([])
  expect(await here.client.conversations.view('letter')).toMatchObject({ erased: { reason: 'request 12' } })
  await page.goto(`${here.url}/conversations/letter/timeline`)
  await page.getByText('The conversation was erased').first().waitFor()
  expect(here.complaints).toEqual([])
})
