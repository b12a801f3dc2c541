/** A gateway as `npm start` runs it, with its own store, and a browser for its console. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { connect, type Client } from '@holdpoint/client'
import { launchBrowser } from './console-browser.ts'

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

export interface Stage {
  readonly url: string
  /** The address that the gateway printed. The windows of `open` have already used its code. */
  readonly consoleUrl: string
  readonly browser: Browser
  /** A client of the gateway, for the test itself. */
  readonly client: Client
  /** Opens a window without the state of other windows. Errors of its scripts are added to `complaints`. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  readonly complaints: readonly string[]
  /** Requests of pages to other hosts than the gateway. */
  readonly otherHosts: readonly string[]
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function stage(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-console-'))
  const settings = { HOLDPOINT_STORE: join(folder, 'desk.db'), ...env }
  const [browser, first] = await Promise.all([launchBrowser(), serve({ ...settings, PORT: '0' })])
  const { url, key, consoleUrl } = first
  const storageState = { cookies: [], origins: [{ origin: url, localStorage: [await redeemed(consoleUrl)] }] }
  let child: ChildProcess | undefined = first.child
  const complaints: string[] = []
  const otherHosts: string[] = []
  const kill = async (): Promise<void> => {
    const ending = child
    child = undefined
    if (!ending) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }
  return {
    url,
    consoleUrl,
    browser,
    complaints,
    otherHosts,
    client: connect({ url, key }),
    open: async (path, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, storageState, ...options })
      context.on('request', (request) => {
        if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) otherHosts.push(request.url())
      })
      const page = await context.newPage()
      page.setDefaultTimeout(120_000)
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('dialog', (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (said) => {
        // Some tests stop the gateway or expect a refusal, so these errors are not complaints.
        if (said.type() === 'error' && !/net::ERR_|status of 4(?:0[049]|22)/.test(said.text()))
          complaints.push(`${said.text()} ${said.location().url}`)
      })
      await page.goto(url + path)
      return page
    },
    kill,
    start: async () => {
      child = (await serve({ ...settings, PORT: new URL(url).port })).child
    },
    close: async () => {
      await Promise.all([browser.close(), kill()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Redeems the code, and returns the entry of local storage in which the console keeps the key. */
async function redeemed(consoleUrl: string): Promise<{ readonly name: string; readonly value: string }> {
  const { origin, hash } = new URL(consoleUrl)
  const answer = await fetch(`${origin}/api/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#code=', '') }),
  })
  return { name: 'holdpoint.console', value: ((await answer.json()) as { readonly key: string }).key }
}

interface Serving {
  readonly url: string
  readonly consoleUrl: string
  readonly key: string
  readonly child: ChildProcess
}

async function serve(env: Readonly<Record<string, string>>): Promise<Serving> {
  const inherited = Object.entries(process.env).filter(([name]) => !/_API_KEY$|^OPENAI_BASE_URL$/.test(name))
  const args = ['--conditions=@holdpoint/source', join(root, 'scripts/serve.ts')]
  const child = spawn(process.execPath, args, { env: { ...Object.fromEntries(inherited), ...env } })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  for await (const text of child.stdout as AsyncIterable<Buffer>) {
    said += text.toString()
    const [, url, consoleUrl] = /listens on (\S+)\. Try it: (\S+)\n/.exec(said) ?? []
    if (url !== undefined && consoleUrl !== undefined)
      return { url, consoleUrl, key: /(hp_\S+)/.exec(said)?.[1] ?? '', child }
  }
  throw new Error(`It ended before it listened:\n${said}`)
}

/** Answers with a button or `press`, and tries again while the card says that it just appeared, moved or changed. */
export async function answer(button: Locator, press = (): Promise<void> => button.click()): Promise<void> {
  const refused = button.locator('..').getByText('Not answered: this has just')
  do {
    await button.click({ trial: true })
    await press()
  } while (await refused.isVisible())
}

const shots = join(root, '.cache/screenshots')

/** Saves a screenshot in `.cache`, which git ignores. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, `${name}.png`) })
}
