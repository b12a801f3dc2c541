/** Gateways with sign-in by OpenID Connect, a real provider, and what a browser does with them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, holdpoint, memoryStore, openStore, type Store } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { afterEach, expect } from 'vitest'
import { serve, type LogLine, type OpenIdOptions, type Served, type ServeOptions } from '@holdpoint/gateway'
import {
  CLIENT,
  openIdProvider,
  type Browser,
  type OpenIdProvider,
  type People,
  type ProviderOptions,
  type Visited,
} from '../../../test/kit/openid-kit.ts'

const PEOPLE: People = {
  ada: { name: 'Ada Lovelace', groups: ['finance', 'board'] },
  bob: { name: 'Bob', groups: ['guests'] },
  grace: { name: 'Grace', groups: ['finance'], org: ['staff', 'acme'] },
  odd: { name: 'Odd', groups: 'finance' },
  'key:trusted': { name: 'Key', groups: ['finance'] },
}
const SCOPES_BY_GROUP = { finance: ['resolver', 'agent'], board: ['reader', 'agent'] } as const

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

export interface World {
  /** The claims at the provider. They can be changed. */
  readonly people: Record<string, Readonly<Record<string, unknown>>>
  readonly provider: OpenIdProvider
  readonly gateways: readonly Served[]
  readonly url: string
  readonly lines: LogLine[]
  readonly stores: readonly Store[]
  /** Lets time pass for the gateways and the store. */
  advance(ms: number): void
  signIn(browser: Browser, name: string, at?: string): Promise<Visited>
}

export interface WorldOptions extends Omit<Partial<ServeOptions>, 'auth'> {
  readonly openId?: Partial<OpenIdOptions>
  readonly gateways?: number
  readonly provider?: ProviderOptions
}

/** Several gateways have one file, and each its own connection to it, as processes have. */
export async function world({
  openId,
  gateways: count = 1,
  provider: providerOptions,
  ...options
}: WorldOptions = {}): Promise<World> {
  const people = { ...PEOPLE }
  const provider = await openIdProvider(people, providerOptions)
  closing.push(() => provider.close())
  const lines: LogLine[] = []
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const file = count > 1 ? inNewFolder() : undefined
  const agents = [agent({ name: 'desk', model: scriptedModel([]) })]
  const gateways: Served[] = []
  const stores: Store[] = []
  for (let nth = 0; nth < count; nth++) {
    const store = file === undefined ? memoryStore({ now }) : await openStore(file)
    const runtime = await holdpoint({ store, agents })
    const served = await serve({
      runtime,
      store,
      agents,
      now,
      log: (line) => lines.push(line),
      auth: { openId: { issuer: provider.issuer, ...CLIENT, scopesByGroup: SCOPES_BY_GROUP, ...openId } },
      ...options,
    })
    closing.push(async () => {
      await served.close()
      await store.close()
    })
    gateways.push(served)
    stores.push(store)
  }
  provider.register(...gateways.map(({ url }) => url))
  const [{ url } = { url: '' }] = gateways
  return {
    people,
    provider,
    gateways,
    url,
    lines,
    stores,
    advance: (ms) => (ahead += ms),
    signIn: async (browser, name, at = url) => {
      const page = await browser.open(`${at}/auth/sign-in?return=${encodeURIComponent('/holds?mine=1')}`)
      expect(page.url).toMatch(/^http:\/\/localhost:\d+\/interaction\//)
      return browser.submit(page, { login: name, password: 'x' })
    },
  }
}

function inNewFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-openid-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'desk.db')
}

/** Up to the redirect back to the gateway, which is not followed. */
export async function untilCallback(
  browser: Browser,
  url: string,
  change: (to: URL) => void = () => {},
): Promise<string> {
  const started = await browser.open(`${url}/auth/sign-in`, (to) => to.startsWith('http://localhost'))
  const to = new URL(started.url)
  change(to)
  const isCallback = (next: string): boolean => next.includes('/auth/callback')
  const page = await browser.open(to.href, isCallback)
  return isCallback(page.url) ? page.url : (await browser.submit(page, { login: 'ada', password: 'x' }, isCallback)).url
}

export const me = async (browser: Browser, url: string): Promise<{ status: number; body: unknown }> => {
  const response = await browser.fetch(`${url}/api/me`)
  return { status: response.status, body: await response.json() }
}
export const isSignedIn = async (browser: Browser, url: string): Promise<boolean> =>
  (await me(browser, url)).status === 200
export const lastReason = ({ lines }: World): string | undefined => lines.at(-1)?.reason
