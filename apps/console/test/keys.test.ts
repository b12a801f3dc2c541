/** The keys of a tenant, in the settings of the console. */
import { connect } from '@holdpoint/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

test('a key for a worker is limited to the tools that are named, and the list shows them', async () => {
  const page = await here.open('/settings')
  await page.getByLabel('Name of the new key').fill('parcels')
  const tools = page.getByLabel('Tools of the worker, separated by commas')
  expect(await tools.count(), 'only the scope worker can be limited').toBe(0)
  await page.getByLabel('What the new key may do').selectOption('worker')
  await tools.fill('parcel.ship, parcel.track,')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('worker · only parcel.ship, parcel.track').waitFor()
  const key = (await page.getByRole('status').locator('code').textContent()) ?? ''
  expect(await connect({ url: here.url, key }).keys.me()).toMatchObject({
    scopes: ['worker'],
    tools: ['parcel.ship', 'parcel.track'],
  })
  expect(here.complaints).toEqual([])
})
