/** A picture in a message, and the link to a result that is too large for the log. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { answer, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('clerk-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a picture is attached, sent, and shown after a reload; other files are links with their size', async () => {
  await here.client.conversations.send('talk', 'Hello', { agent: 'clerk' })
  const page = await here.open('/conversations/talk')
  await page.getByText('Done.').first().waitFor()
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (
    await chosen
  ).setFiles([
    { name: 'photo.png', mimeType: 'image/png', buffer: PNG },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('a note '.repeat(200)) },
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
  ])
  const list = page.getByRole('list', { name: 'Files of this message' })
  await list.getByRole('alert').getByText('This file is empty').waitFor()
  await list.getByText('1.4 KB').waitFor()
  await looksRight(page, 'files-composer')
  // A message with a file that failed is not sent.
  const button = page.getByRole('button', { name: 'Send', exact: true })
  expect(await button.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Remove empty.txt' }).click()
  await button.click()
  await page.getByRole('img', { name: 'photo.png' }).waitFor()
  await list.waitFor({ state: 'detached' })
  await page.reload()
  const image = page.getByRole('img', { name: 'photo.png' })
  await image.waitFor()
  expect(await image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(1)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'notes.txt' }).click()
  expect((await saved).suggestedFilename()).toBe('notes.txt')
  await looksRight(page, 'files-message')
  expect(here.complaints).toEqual([])
})

test('a form that asks for a file uploads it, and the answer is its id', async () => {
  const calls = JSON.stringify([{ name: 'scan.ask', input: {} }])
  await here.client.conversations.send('form', calls, { agent: 'clerk' })
  const page = await here.open('/conversations/form')
  await page.getByLabel('scan', { exact: true }).setInputFiles({ name: 'scan.png', mimeType: 'image/png', buffer: PNG })
  await page.getByText('uploaded, 70 bytes').waitFor()
  await looksRight(page, 'files-form')
  await answer(page.getByRole('button', { name: 'Answer', exact: true }))
  await page.getByText('Done.').first().waitFor()
  expect(JSON.stringify(await here.client.conversations.view('form'))).toMatch(/"value":\{"scan":"[\w-]+"\}/)
  expect(here.complaints).toEqual([])
})
