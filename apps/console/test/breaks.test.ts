/** What breaks in the middle: the page, the gateway, the line. Nothing is lost, doubled or stuck. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { answer, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

/** All that the agent said, as it is on the screen. */
const said = (page: Page): Promise<string> => page.getByRole('article', { name: 'desk said' }).last().innerText()

/** Without what is around the words, and their spaces. */
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').replace(/^desk .*?(?=The lighthouse)/, '')

/** A space of its own, with the person who sits here and an agent. */
async function room(id: string): Promise<string> {
  const members = [{ member: { kind: 'agent' as const, id: 'desk' } }]
  expect(await here.client.spaces.create({ id, name: id, by: 'you', members })).toMatchObject({ ok: true })
  return `/spaces/${id}`
}
const post = async (id: string, text: string): Promise<void> =>
  expect(await here.client.spaces.post(id, text, { from: { kind: 'human', id: 'you' } })).toMatchObject({ ok: true })

test('a page that is reloaded in the middle of a reply loses no word of it and doubles none', async () => {
  await here.client.conversations.send('story', 'Tell me a story', { agent: 'desk' })
  const page = await here.open('/conversations/story')
  await page.getByRole('article').getByText('keeper had to agree').waitFor()
  await page.reload()
  await page.getByRole('article').getByText('There was a lighthouse whose keeper had to agree').waitFor()
  expect((await here.client.conversations.view('story'))?.status).toBe('running')
  await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
  const live = words(await said(page))
  await page.reload()
  await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
  expect(live).toBe(words(await said(page)))
  expect(live.match(/lighthouse whose keeper/g)).toHaveLength(1)
})

test('the gateway is killed while a call is held and the page is open; started again, it is approved and goes on', async () => {
  await here.client.conversations.send('mail', 'Write to Ada', { agent: 'desk', wait: 10 })
  const path = await room('post-office')
  await post('post-office', 'Write to Ada')
  const [page, space] = await Promise.all([here.open('/conversations/mail'), here.open(path)])
  const approve = (where: Page): Locator => where.getByRole('button', { name: 'Approve', exact: true })
  for (const each of [page, space]) await approve(each).waitFor()
  await here.kill()
  await page.getByRole('navigation', { name: 'Console' }).getByText('offline, trying again').waitFor()
  for (const each of [page, space]) await each.locator('main').getByText('offline, trying again').waitFor()
  // What can neither be said nor answered says so, and is not lost.
  await space.getByLabel('Message', { exact: true }).fill('Thank you')
  await space.keyboard.press('Enter')
  await answer(approve(space))
  await space
    .getByRole('region', { name: /Approve email.send/ })
    .getByText('not known to be in')
    .waitFor()
  await space.locator('form').getByText('No answer from the gateway').waitFor()

  await here.start()
  for (const each of [page, space]) await answer(approve(each))
  for (const each of [page, space])
    await each.getByRole('article', { name: 'desk said' }).getByText('is out.').waitFor()
  for (const each of [page, space]) await each.locator('[data-live="live"]').waitFor()
  await page.locator('[data-connection="live"]').waitFor()
  await space.locator('[data-tool="email.send"][data-status="complete"]').waitFor()
  expect(await space.getByLabel('Message', { exact: true }).inputValue()).toBe('Thank you')
  await space.getByLabel('Message', { exact: true }).press('Enter')
  await space.getByRole('article', { name: 'you said' }).getByText('Thank you').waitFor()
  expect(await space.getByRole('article', { name: 'you said' }).count()).toBe(2)
  expect(await space.getByRole('article', { name: 'desk said' }).count()).toBe(1)
})

test('a page that was offline has everything when it is back, and its tools still run once', async () => {
  await here.client.conversations.send('zone', 'Hello', { agent: 'desk', wait: 10 })
  const page = await here.open('/conversations/zone')
  await page.getByRole('article').getByText('I am a scripted model').waitFor()
  await page.context().setOffline(true)
  await here.client.conversations.send('zone', 'Which time zone am I in?', { agent: 'desk' })
  await page.getByLabel('Message', { exact: true }).fill('Written offline')
  await vi.waitFor(async () => expect((await here.client.holds.list({ conversationId: 'zone' })).items).toHaveLength(1))
  await page.context().setOffline(false)
  await page
    .getByRole('article')
    .getByText(/You are in .+, where it is/)
    .waitFor()
  expect(await page.getByRole('article', { name: 'desk said' }).count()).toBe(2)
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Written offline')
  expect(here.complaints).toEqual([])
})

test('a space that is reloaded while an agent writes there loses no word and doubles none, and two tabs read the same', async () => {
  const path = await room('tales')
  const [page, other] = await Promise.all([here.open(path), here.open(path)])
  await page.locator('[data-live="live"]').waitFor()
  await post('tales', 'Tell us a story')
  await page.getByRole('article', { name: 'desk is writing' }).getByText('keeper had to agree').waitFor()
  await page.reload()
  // What was written before the page came is told to it, too.
  await page
    .getByRole('article', { name: /^desk/ })
    .getByText('There was a lighthouse whose keeper had to agree')
    .waitFor()
  const texts = await Promise.all(
    [page, other].map(async (tab) => {
      await tab.getByRole('article', { name: 'desk said' }).getByText('between the asking and the answer.').waitFor()
      expect(await tab.getByRole('article', { name: 'desk is writing' }).count()).toBe(0)
      expect(await tab.getByRole('article', { name: 'desk said' }).count()).toBe(1)
      return words(await said(tab))
    }),
  )
  await page.reload()
  await page.getByRole('article', { name: 'desk said' }).getByText('between the asking and the answer.').waitFor()
  expect(texts).toEqual([words(await said(page)), words(await said(page))])
  expect(texts[0]?.match(/lighthouse whose keeper/g)).toHaveLength(1)
})

test('two tabs of a space that were offline have everything when they are back, and the tools of the page ran there', async () => {
  const path = await room('abroad')
  const tabs = await Promise.all([here.open(path), here.open(path)])
  for (const tab of tabs) await tab.locator('[data-live="live"]').waitFor()
  for (const tab of tabs) await tab.context().setOffline(true)
  await post('abroad', 'Which time zone are we in?')
  await vi.waitFor(
    async () =>
      expect((await here.client.holds.list({ conversationId: 'agent:desk', kind: 'client' })).items).toHaveLength(1),
    30_000,
  )
  for (const tab of tabs) await tab.context().setOffline(false)
  for (const tab of tabs) {
    await tab
      .getByRole('article', { name: 'desk said' })
      .getByText(/You are in .+, where it is/)
      .waitFor()
    await tab.locator('[data-tool="browser.time_zone"][data-status="complete"]').waitFor()
    expect(await tab.getByRole('article', { name: 'desk said' }).count()).toBe(1)
  }
  expect(here.complaints).toEqual([])
})

test('of two tabs that answer a call in a space, the second is told that it was too late, also once the call is over', async () => {
  const path = await room('counter')
  await post('counter', 'Write to Ada')
  const first = await here.open(path)
  const second = await here.open('/')
  // A tab that hears nothing any more: what it shows is old.
  const held: (() => void)[] = []
  await second.route(/\/(?:events|changes)/, (route) => void held.push(() => void route.continue()))
  await second.goto(here.url + path)
  await second.getByRole('button', { name: 'Reject' }).click()
  await answer(first.getByRole('button', { name: 'Approve', exact: true }))
  await first.getByText('is out.').first().waitFor()
  await answer(second.getByRole('button', { name: 'Reject', exact: true }), () =>
    second.getByLabel('Why not?').press('Enter'),
  )
  const told = second.locator('[data-verdict="conflict"]')
  expect(await told.innerText()).toMatch(/^Too late: somebody else was first\..*you approved it .+ ago/s)
  // Now it hears of it: the card goes, and what became of the answer stays.
  for (const go of held) go()
  await second.locator('[data-tool="email.send"][data-status="complete"]').waitFor()
  await told.waitFor()
})
