/** The page is reloaded, the gateway is killed or the connection breaks in the middle: nothing is lost or shown twice. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { answer, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
afterAll(() => here.close())

/** The agent's last message as the screen shows it. */
const said = (page: Page): Promise<string> => page.getByRole('article', { name: 'desk said' }).last().innerText()

/** Without the header and with single spaces. */
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').replace(/^desk .*?(?=The lighthouse)/, '')

/** Creates a space with the user of the page and an agent. */
async function room(id: string): Promise<string> {
  const members = [{ member: { kind: 'agent' as const, id: 'desk' } }]
  expect(await here.client.spaces.create({ id, name: id, by: 'you', members })).toMatchObject({ ok: true })
  return `/spaces/${id}`
}
const post = async (id: string, text: string): Promise<void> =>
  expect(await here.client.spaces.post(id, text, { from: { kind: 'human', id: 'you' } })).toMatchObject({ ok: true })

test('a page that is reloaded in the middle of a reply shows each word once', async () => {
  // On a slow machine the reply may end before the page is back. Then the next conversation tries again.
  let wasRunning = false
  for (let nth = 1; nth <= 5 && !wasRunning; nth++) {
    const id = `story-${nth}`
    await here.client.conversations.send(id, 'Tell me a story', { agent: 'desk' })
    const page = await here.open(`/conversations/${id}`)
    await page.getByRole('article').getByText('keeper had to agree').waitFor()
    await page.reload()
    await page.getByRole('article').getByText('There was a lighthouse whose keeper had to agree').waitFor()
    wasRunning = (await here.client.conversations.view(id))?.status === 'running'
    await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
    const live = words(await said(page))
    await page.reload()
    await page.getByRole('article').getByText('between the asking and the answer.').waitFor()
    expect(live).toBe(words(await said(page)))
    expect(live.match(/lighthouse whose keeper/g)).toHaveLength(1)
  }
  expect(wasRunning).toBe(true)
})

test('the gateway is killed while a page shows a held call; after a restart the call is approved and the turn continues', async () => {
  await here.client.conversations.send('mail', 'Write to Ada', { agent: 'desk', wait: 10 })
  const path = await room('post-office')
  await post('post-office', 'Write to Ada')
  const [page, space] = await Promise.all([here.open('/conversations/mail'), here.open(path)])
  const approve = (where: Page): Locator => where.getByRole('button', { name: 'Approve', exact: true })
  for (const each of [page, space]) await approve(each).waitFor()
  await here.kill()
  await page.getByRole('navigation', { name: 'Console' }).getByText('offline, trying again').waitFor()
  for (const each of [page, space]) await each.locator('main').getByText('offline, trying again').waitFor()
  // The message and the answer that could not be sent are kept, and the page says why.
  await space.getByLabel('Message', { exact: true }).fill('Thank you')
  await space.keyboard.press('Enter')
  await answer(approve(space))
  await space
    .getByRole('region', { name: /Approve email.send/ })
    .getByText('We couldn’t confirm your answer was saved.')
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

test('a page that was offline shows everything once it is online, and its tools run once', async () => {
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

test('a space that is reloaded while an agent writes there shows each word once, in two tabs alike', async () => {
  const path = await room('tales')
  const [page, other] = await Promise.all([here.open(path), here.open(path)])
  await page.locator('[data-live="live"]').waitFor()
  await post('tales', 'Tell us a story')
  await page.getByRole('article', { name: 'desk is writing' }).getByText('keeper had to agree').waitFor()
  await page.reload()
  // The text from before the page was opened is shown too.
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

test('two tabs of a space that were offline show everything once they are online, and their tools ran', async () => {
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

test('of two tabs that answer a call in a space, the second shows that it was too late, even after the call has ended', async () => {
  const path = await room('counter')
  await post('counter', 'Write to Ada')
  const first = await here.open(path)
  const second = await here.open('/')
  // This tab gets no more updates, so it shows an old state.
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
  expect(await told.innerText()).toMatch(/^Too late: another answer came first\..*you .*approved it .+ ago/s)
  // The tab gets the update: the card goes away and the notice stays.
  for (const go of held) go()
  await second.locator('[data-tool="email.send"][data-status="complete"]').waitFor()
  await told.waitFor()
})
