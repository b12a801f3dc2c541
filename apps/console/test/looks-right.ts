import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { shoot } from './stage.ts'
import { violations } from './violations.ts'

const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['light', { viewport: { width: 1280, height: 1000 }, colorScheme: 'light' }],
  ['dark', { viewport: { width: 1280, height: 1000 }, colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 390, height: 1000 }, colorScheme: 'light' }],
  ['narrow-dark', { viewport: { width: 390, height: 1000 }, colorScheme: 'dark' }],
]

/** Rules of axe whose answer depends on colours. The others find the same in both schemes. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** In four looks: it overflows nowhere, and axe finds nothing. The pictures show `part`, or the top of the page. */
export async function looksRight(page: Page, name: string, part?: Locator): Promise<void> {
  for (const [look, { viewport, colorScheme }] of looks) {
    await page.setViewportSize(viewport ?? { width: 1280, height: 1000 })
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light' })
    await page.evaluate(() => document.fonts.ready)
    // Colours change over a moment, and those of a button under the pointer are others.
    await page.mouse.move(0, 0)
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
    expect(await violations(page, colorScheme === 'dark' ? OF_COLOURS : undefined), `${name} ${look}`).toEqual([])
    await part?.evaluate((element) => element.scrollIntoView({ block: 'start' }))
    await shoot(page, `${name}-${look}`)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(wider, `${name} ${look} is wider than its window`).toBe(0)
    expect(await page.evaluate(cutEntries), `${name} ${look}: entries of the navigation that are cut`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Runs in the page. */
function cutEntries(): readonly (string | null)[] {
  const entries = [...document.querySelectorAll('nav[aria-label="Console"] :is(a, button)')]
  return entries
    .filter((entry) => entry.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map(({ textContent }) => textContent)
}
