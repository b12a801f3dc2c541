/** A gateway whose users have tokens: a customer, and people of finance, each with a browser of their own. */
import { SignJWT } from 'jose'
import { fileURLToPath } from 'node:url'
import { generateKeyPairSync } from 'node:crypto'
import { agent, holdpoint, memoryStore, signingKey, tool } from 'holdpoint'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { z } from 'zod'
import { connect, type Client } from '@holdpoint/client'
import { serve, siteFromFolder, type Served } from '@holdpoint/gateway'
import { models } from './clerk-app.ts'

const SECRET = 's'.repeat(40)

export interface Person {
  readonly client: Client
  /** A request with the token of this person, past the SDK. */
  post(path: string, body: object): Promise<{ readonly status: number; readonly detail: string }>
  open(path: string, options?: BrowserContextOptions): Promise<Page>
}

export interface PeopleStage {
  readonly url: string
  readonly complaints: readonly string[]
  person(id: string, groups?: readonly string[], scope?: string): Promise<Person>
  close(): Promise<void>
}

const refund = tool({
  name: 'money.refund',
  description: 'Pay money back to a customer',
  input: z.looseObject({ order: z.string(), euros: z.number() }),
  approval: {
    required: true,
    reason: 'More than 100 € is paid back.',
    approvers: { anyOf: ['group:finance'], count: 2 },
    remindAfter: '4 h',
    escalate: { after: '1 day', to: ['group:board'] },
  },
  run: ({ input }) => `paid ${input.euros}`,
})

const pay = tool({
  name: 'invoice.pay',
  description: 'Pay an invoice',
  input: z.looseObject({ invoice: z.string(), euros: z.number() }),
  approval: { required: true, approvers: { anyOf: ['group:finance'], notRequester: true } },
  run: ({ input }) => `paid ${input.euros}`,
})

const mail = tool({
  name: 'mail.send',
  description: 'Send a mail to a customer',
  input: z.object({ to: z.string(), subject: z.string(), body: z.string(), urgent: z.boolean().default(false) }),
  approval: { required: true, reason: 'It leaves the company.', rules: 'may-relax' },
  run: ({ input }) => `sent to ${input.to}`,
})

export async function peopleStage(browser: Browser): Promise<PeopleStage> {
  const store = memoryStore({ now: Date.now })
  const agents = [agent({ name: 'clerk', tools: [refund, pay, mail], model: models.clerk })]
  const key = signingKey({
    pem: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
  })
  const runtime = await holdpoint({ store, agents, rules: true, signing: { key } })
  const site = siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url)))
  const auth = { tokens: { secret: SECRET, issuer: 'shop', audience: 'holdpoint' } }
  const served: Served = await serve({ runtime, store, agents, site, auth, signingKey: key })
  const { url } = served
  const complaints: string[] = []
  return {
    url,
    complaints,
    person: async (id, groups = [], scope = 'agent reader') => {
      const token = await tokenOf({ sub: id, groups, scope })
      return {
        client: connect({ url, token: () => token }),
        post: async (path, body) => {
          const answer = await fetch(url + path, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
          return { status: answer.status, detail: ((await answer.json()) as { readonly detail: string }).detail }
        },
        open: async (path, options = {}) => {
          const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
          // The place where the console keeps a key or a token that was typed.
          await context.addInitScript((kept) => sessionStorage.setItem('holdpoint.key', kept), token)
          const page = await context.newPage()
          page.setDefaultTimeout(120_000)
          page.on('pageerror', ({ message }) => complaints.push(`${id}: ${message}`))
          page.on('console', (said) => {
            if (said.type() === 'error' && !/status of 4(?:0[0349]|22)/.test(said.text()))
              complaints.push(`${id}: ${said.text()}`)
          })
          await page.goto(url + path)
          return page
        },
      }
    },
    close: () => served.close(),
  }
}

function tokenOf(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ tenant: 'shop', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('shop')
    .setAudience('holdpoint')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET))
}
