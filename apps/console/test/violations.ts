import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** The serious violations that axe finds, with all rules or the given ones. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(() => {
    // Animations are finished first: a colour in the middle of a transition has no meaning.
    for (const each of document.getAnimations())
      if (Number.isFinite(Number(each.effect?.getComputedTiming().endTime))) each.finish()
  })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const found = await page.evaluate(async (runOnly) => {
    const { axe: run } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    return (await run.run(runOnly ? { runOnly } : {})).violations
  }, rules)
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
}
