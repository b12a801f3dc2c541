/** The console with agents of an application, without the demo. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('clerk-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

test('the tour is not shown for an agent with the name of a demo agent', async () => {
  const page = await here.open('/')
  await page.getByText('Your agents are ready').waitFor()
  await shoot(page, 'start-own')
  expect(await page.getByRole('button', { name: 'Write to Ada' }).count()).toBe(0)
  for (const path of ['/holds', '/conversations']) {
    await page.goto(here.url + path)
    await page.getByText(/Nothing is waiting for you|No conversations yet/).waitFor()
    expect(await page.locator('main').innerText()).not.toContain('tour')
  }
  expect(here.complaints).toEqual([])
})

test('a new chat makes no failing request and does not say that it is offline', async () => {
  const page = await here.open('/conversations')
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${here.url}/conversations/brand-new`)
  await page.locator('[data-live="live"]').waitFor()
  await page.getByText('No messages yet').waitFor()
  expect(await page.locator('main').innerText()).not.toContain('offline')
  await here.client.conversations.send('brand-new', 'Hello', { agent: 'clerk' })
  await page.getByRole('article', { name: 'clerk said' }).getByText('Done.').waitFor()
  expect(failed).toEqual([])
})
