/** Hostile texts of a model are shown as text: no script runs, and no request leaves the page. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { corpus } from './hostile-corpus.ts'
import { shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage({ HOLDPOINT_APP: fileURLToPath(new URL('hostile-app.ts', import.meta.url)) })
})
afterAll(() => here.close())

/** No script ran, there is no markup of the model, and links lead to the web or to mail only. */
async function unharmed(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in globalThis,
    markup: document.querySelectorAll(
      'main :is(script, iframe, object, embed, form[action], link, meta, base, video, audio, style), main img, main [onerror], main [onload], main [onfocus]',
    ).length,
    links: [...document.querySelectorAll<HTMLAnchorElement>('main a[target]')].map((link) => link.protocol),
    apps: document.querySelectorAll('#app').length,
  }))
  expect(found.hacked).toBe(false)
  expect(found.markup).toBe(0)
  expect(new Set([...found.links, 'https:', 'http:', 'mailto:'])).toEqual(new Set(['https:', 'http:', 'mailto:']))
  expect(found.apps).toBe(1)
}

const TOGETHER = 15

test('two hundred hostile texts in messages of an agent stay text', async () => {
  expect(new Set(corpus).size).toBeGreaterThanOrEqual(200)
  // A few in each conversation, in a window high enough to draw all of them.
  const nths = Array.from(corpus.keys())
  for (let from = 0; from < nths.length; from += TOGETHER) {
    const id = `said-${from}`
    const some = nths.slice(from, from + TOGETHER)
    for (const nth of some) await here.client.conversations.send(id, `say ${nth}`, { agent: 'echo', wait: 60 })
    const page = await here.open(`/conversations/${id}`)
    await page.setViewportSize({ width: 1280, height: 12_000 })
    await vi.waitFor(async () => {
      const texts = await page.getByRole('article', { name: /said$/ }).allInnerTexts()
      const seen = new Set(texts.flatMap((text) => Array.from(text.matchAll(/say (\d+)/g), ([, nth]) => Number(nth))))
      expect(some.filter((nth) => !seen.has(nth))).toEqual([])
    }, 15_000)
    await unharmed(page)
    await page.close()
  }
  expect(here.otherHosts).toEqual([])
  expect(here.complaints).toEqual([])
})

test('the same texts stay text in a space whose name is one of them', async () => {
  const [name = '', ...rest] = corpus
  const id = 'hostile/<b>&?#%:'
  const members = [{ member: { kind: 'agent' as const, id: 'echo' } }]
  await here.client.spaces.create({ id, name, by: 'you', members })
  // Messages of a person are shown as plain text, those of an agent as markdown. Half a surrogate pair is refused.
  const said = rest.filter((text) => text.isWellFormed()).slice(-60)
  for (const [nth, text] of said.entries()) {
    const from = nth % 3 === 0 ? { kind: 'human' as const, id: 'you' } : { kind: 'agent' as const, id: 'echo' }
    expect(await here.client.spaces.post(id, `say ${nth} ${text}`, { from })).toMatchObject({ ok: true })
  }
  const page = await here.open(`/spaces/${encodeURIComponent(id)}`)
  await page.getByRole('article', { name: /said$/ }).first().waitFor()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
  const list = page.getByRole('region', { name: 'Messages' })
  const seen = new Set<string>()
  for (let screens = 0; screens < 200 && seen.size < said.length; screens++) {
    const texts = await page.getByRole('article', { name: /said$/ }).allInnerTexts()
    for (const text of texts) for (const [, nth] of text.matchAll(/say (\d+)/g)) seen.add(nth ?? '')
    await unharmed(page)
    const top = await list.evaluate((element) => {
      element.scrollTop -= element.clientHeight * 0.8
      return element.scrollTop
    })
    const before = page.getByRole('button', { name: 'Show earlier messages' })
    // The button is removed when all messages are loaded, so a click by position could miss it.
    if (top <= 0) await before.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()))
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  }
  expect(seen.size).toBe(said.length)
  await page.goto(`${here.url}/spaces`)
  await page.getByRole('link', { name }).waitFor()
  await unharmed(page)
  expect(here.otherHosts).toEqual([])
  expect(here.complaints).toEqual([])
})

test('the same texts as arguments are shown completely, with hidden characters by name, and no script runs', async () => {
  await here.client.conversations.send('asked', 'call', { agent: 'echo', wait: 10 })
  const page = await here.open('/conversations/asked')
  const card = page.getByRole('region', { name: /Approve note.keep/ })
  await card.waitFor()
  await card.getByRole('button', { name: `Show ${corpus.length - 20} more items` }).click()
  const more = card.getByRole('button', { name: /^Show \d.* more characters/ })
  await more.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()))
  const text = await card.innerText()
  for (const each of [
    '<script>globalThis.hacked=1</script>',
    'U+202E right-to-left override',
    'U+200B zero-width space',
    'evil.example',
    'the text before the @ is not the host',
    'xn--80ak6aa92e.com',
    'letters that may look like others',
  ])
    expect(text).toContain(each)
  // Text that overflows the card would be invisible.
  const outside = await card.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect()
    const all = [...element.querySelectorAll('dt, dd, bdi, mark')].map((each) => each.getBoundingClientRect())
    return all.filter((each) => each.width > 0 && (each.left < left || each.right > right)).length
  })
  expect(outside).toBe(0)
  await unharmed(page)
  await shoot(page, 'hostile')
  await page.goto(`${here.url}/holds`)
  await page.getByText('Runs with exactly this').waitFor()
  await unharmed(page)
  await page.goto(`${here.url}/conversations/asked/timeline`)
  await page
    .getByRole('button', { name: /model.replied/ })
    .last()
    .click()
  await unharmed(page)
  expect(here.otherHosts).toEqual([])
  expect(here.complaints).toEqual([])
})

test('the same texts stay text as arguments, results, errors and questions of calls in a space', async () => {
  const members = [{ member: { kind: 'agent' as const, id: 'echo' } }]
  await here.client.spaces.create({ id: 'calls', name: 'Calls', by: 'you', members })
  await here.client.spaces.post('calls', 'show everything', { from: { kind: 'human', id: 'you' } })
  const page = await here.open('/spaces/calls', { viewport: { width: 1280, height: 12_000 } })
  const card = page.getByRole('region', { name: /Approve note.keep/ })
  await card.waitFor()
  const form = page.getByRole('region', { name: 'note.choose asks you' })
  await form.waitFor()
  for (const status of ['complete', 'error']) await page.locator(`[data-status="${status}"] button`).first().click()
  const more = page.getByRole('button', { name: /^Show \d.* more (?:items|characters|fields)/ })
  // A value that was collapsed may have collapsed values in it.
  for (let rounds = 0; rounds < 10 && (await more.count()) > 0; rounds++)
    await more.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()))
  expect(await more.count()).toBe(0)
  for (const shown of [card, form, page.locator('[data-status="complete"]'), page.locator('[data-status="error"]')]) {
    const text = await shown.innerText()
    for (const each of ['<script>globalThis.hacked=1</script>', 'U+202E right-to-left override'])
      expect(text).toContain(each)
  }
  expect(await card.innerText()).toContain('the text before the @ is not the host')
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)
  expect(wide).toBe(true)
  await unharmed(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await shoot(page, 'hostile-space')
  expect(here.otherHosts).toEqual([])
  expect(here.complaints).toEqual([])
})
