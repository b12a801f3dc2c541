/** An operator exports what is stored about a person, and erases it, in the console. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { looksRight } from './looks-right.ts'
import { stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

test('a person is exported and erased; the confirmation names what goes and what stays', async () => {
  const { client } = here
  const say = async (id: string, by: string): Promise<unknown> =>
    client.conversations.send(id, 'Hello', { agent: 'desk', wait: 20, by })
  await Promise.all([say('of-ada', 'ada'), say('of-ben', 'ben')])
  await client.spaces.create({
    id: 'trip',
    name: 'Trip',
    by: 'ben',
    members: [{ member: { kind: 'human', id: 'ada' } }],
  })
  await client.spaces.post('trip', 'I am in', { from: { kind: 'human', id: 'ada' } })
  await client.people.put({ id: 'ada', name: 'Ada Lane', groups: ['finance'] })
  const { id: key } = await client.keys.create({ name: 'shop', scopes: ['agent'], mayActFor: ['ada'] })

  const page = await here.open('/settings')
  await page.getByLabel('Id of the person').fill('ada')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toBe('ada.jsonl')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
  const types = lines.map((line) => (JSON.parse(line) as { readonly type: string }).type)
  expect([types[0], types.at(-1)]).toEqual(['export', 'end'])
  expect(types).toContain('conversation')

  await page.getByRole('button', { name: 'Erase…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase what is stored about ada?' })
  await dialog.getByText('1 conversation (of-ada) that they own').waitFor()
  await dialog.getByText('1 conversation or space (trip) of others').waitFor()
  await dialog.getByText('Keys that may act for them: shop.').waitFor()
  const sure = dialog.getByRole('button', { name: 'Erase for good' })
  expect(await sure.isDisabled()).toBe(true)
  await dialog.getByLabel('New owner').fill('ben')
  await dialog.getByText('ben owns 1 conversation (of-ada)').waitFor()
  await looksRight(page, 'erase-person')
  await dialog.getByRole('button', { name: 'Keep everything' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await client.people.list()).items.map((each) => each.id)).toEqual(['ada'])

  await page.getByRole('button', { name: 'Erase…' }).click()
  await dialog.getByText('that they own').waitFor()
  await dialog.getByLabel('Reason').fill('request 12')
  await dialog.getByLabel('Type ada to confirm').fill('Ada')
  expect(await sure.isDisabled()).toBe(true)
  await dialog.getByLabel('Type ada to confirm').fill('ada')
  await sure.click()
  const done = page.getByRole('status').filter({ hasText: 'ada is erased' })
  await done.getByText('Conversations: 1 erased, 0 handed over, 0 left.').waitFor()
  await done.getByText('trip').waitFor()
  await done.getByText('One key names them').waitFor()
  await looksRight(page, 'erased-person')
  expect(await client.conversations.view('of-ada')).toMatchObject({ erased: { reason: 'request 12' } })
  expect(await client.conversations.view('of-ben')).not.toHaveProperty('erased')
  expect((await client.people.list()).items).toEqual([])
  expect((await client.keys.list()).items.map((each) => each.id)).toContain(key)
  expect(here.complaints).toEqual([])
})

test('a person that the gateway refuses to hand over to is not erased, and the dialog says why', async () => {
  await here.client.people.put({ id: 'cy', name: 'Cy' })
  const page = await here.open('/settings')
  await page.getByLabel('Id of the person').fill('cy')
  await page.getByRole('button', { name: 'Erase…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New owner').fill('cy')
  await dialog.getByLabel('Type cy to confirm').fill('cy')
  await dialog.getByRole('button', { name: 'Erase for good' }).click()
  await dialog.getByRole('alert').getByText('is the person who is erased').waitFor()
  expect((await here.client.people.list()).items.map((each) => each.id)).toContain('cy')
})
