/** A shop whose customers and people of finance sign in to one gateway at a real OpenID provider, each in their own browser. */
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { serve, siteFromFolder } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { CLIENT, openIdProvider } from '../../../test/kit/openid-kit.ts'

/** Customers are in no group. */
const PEOPLE = {
  carla: { name: 'Carla Customer' },
  dora: { name: 'Dora Customer' },
  ann: { name: 'Ann Ledger', groups: ['finance'] },
  bob: { name: 'Bob Bookkeeper', groups: ['finance'] },
  cleo: { name: 'Cleo Controller', groups: ['finance'] },
}
type Name = keyof typeof PEOPLE

export interface Refund {
  readonly order: string
  readonly euros: number
}

export interface RefundStage {
  readonly url: string
  /** What the refund tool did, once for each of its runs. */
  readonly paid: readonly Refund[]
  /** Errors of scripts, and requests that failed in another way than by a refusal. */
  readonly complaints: readonly string[]
  /** Opens a page in a browser of its own, and signs in there. */
  signIn(name: Name, path?: string): Promise<Page>
  /** Another tab of the same browser. */
  tab(page: Page, path: string): Promise<Page>
  close(): Promise<void>
}

const details = tool({
  name: 'refund.details',
  description: 'Ask the customer why they want the money back',
  executor: 'human',
  input: z.object({ question: z.string() }),
  output: z.object({
    reason: z.enum(['It is broken', 'It never arrived', 'I changed my mind']).meta({ title: 'Reason' }),
    note: z.string().optional().meta({ title: 'Anything else?' }),
  }),
})

const FACTS = /refund of (\d+) euros for order (\w+)/

/** Asks for the details, then pays, then says so. */
const model = scriptedModel(({ prompt }) => {
  const asked = prompt.findLastIndex(({ role }) => role === 'user')
  const [, euros = '0', order = ''] = FACTS.exec(JSON.stringify(prompt[asked])) ?? []
  const results = prompt.slice(asked).flatMap((message) => (message.role === 'tool' ? message.results : []))
  if (results.length === 0)
    return { calls: [{ name: 'refund.details', input: { question: `Why should we refund order ${order}?` } }] }
  if (results.length === 1)
    return { text: 'Thank you.', calls: [{ name: 'money.refund', input: { order, euros: Number(euros) } }] }
  return `We refunded ${euros} euros for order ${order}.`
})

export async function refundStage(browser: Browser): Promise<RefundStage> {
  const provider = await openIdProvider(PEOPLE)
  const paid: Refund[] = []
  const refund = tool({
    name: 'money.refund',
    description: 'Pay money back to a customer',
    input: z.object({ order: z.string(), euros: z.number() }),
    approval: {
      required: true,
      reason: 'More than 100 euros are paid back.',
      approvers: { anyOf: ['group:finance'], count: 2 },
    },
    run: ({ input }) => {
      paid.push(input)
      return `${input.euros} euros were paid back`
    },
  })
  const store = memoryStore({ now: Date.now })
  const agents = [agent({ name: 'service', model, tools: [details, refund] })]
  const served = await serve({
    runtime: await holdpoint({ store, agents }),
    store,
    agents,
    site: siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url))),
    limits: { heartbeatMs: 200 },
    // No scope lets anyone approve: only the group does.
    auth: { openId: { issuer: provider.issuer, ...CLIENT, name: 'Acme', scopesByGroup: { '*': ['agent', 'reader'] } } },
  })
  provider.register(served.url)
  const complaints: string[] = []
  const tabIn = async (context: BrowserContext, path: string): Promise<Page> => {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (said) => {
      if (said.type() === 'error' && !/status of 40[0139]|net::ERR/.test(said.text())) complaints.push(said.text())
    })
    await page.goto(served.url + path)
    return page
  }
  return {
    url: served.url,
    paid,
    complaints,
    signIn: async (name, path = '/conversations') => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
      // The provider's page asks for a font.
      await context.route(/googleapis/, (route) => route.abort())
      const page = await tabIn(context, path)
      await page.getByRole('button', { name: 'Sign in with Acme' }).click()
      await page.getByPlaceholder('Enter any login').fill(name)
      await page.getByPlaceholder('and password').fill('x')
      await page.getByRole('button', { name: 'Sign-in' }).click()
      await page.getByText(`Signed in as ${PEOPLE[name].name}`).waitFor()
      return page
    },
    tab: (page, path) => tabIn(page.context(), path),
    close: async () => {
      await served.close()
      await provider.close()
    },
  }
}
