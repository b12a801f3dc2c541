/**
 * The starters of assistant-ui and CopilotKit in a real browser, against a gateway: `npm run starters`, or `npm run starters -- copilotkit`. Each has a lock file of its own, and
 * is installed and built in `.cache/starters`, which takes minutes the first time. Not in `npm test`.
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { chromium, type Browser, type Page } from 'playwright-core'
import { starterServer } from '../examples/starter-server/app.ts'
import { outbox } from '../examples/starter-server/assistant.ts'
import { findBrowser } from '../test/find-browser.ts'
import { buildConsole } from './lib/console.ts'
import { report, root } from './lib/workspace.ts'

const STARTERS = ['assistant-ui', 'copilotkit'].filter((name) => process.argv.length < 3 || process.argv.includes(name))
const consoleKey = `hp_${randomBytes(24).toString('hex')}`
const cache = join(root, '.cache/starters')

/** The folder with the built pages. */
function built(name: string): string {
  const from = join(root, 'examples', `starter-${name}`)
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  cpSync(from, folder, { recursive: true, filter: (path) => !/\/(?:node_modules|dist)$/.test(path) })
  const lock = createHash('sha256')
    .update(readFileSync(join(from, 'package-lock.json')))
    .digest('hex')
  const mark = join(folder, 'installed')
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
    run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
    writeFileSync(mark, lock)
  }
  run(process.execPath, [join(folder, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'], folder)
  return join(folder, 'dist')
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`)
}

class Story {
  readonly #browser: Browser
  readonly #origin: string
  readonly #name: string

  constructor(browser: Browser, origin: string, name: string) {
    this.#browser = browser
    this.#origin = origin
    this.#name = name
  }

  async #open(path: string, as: string): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1000, height: 700 } })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${this.#origin}/login/${as}`)
    await page.goto(this.#origin + path)
    return page
  }

  async #say(id: string, text: string): Promise<Page> {
    const page = await this.#open(`/app/?id=${this.#name}-${id}`, 'ada')
    const box = page.getByRole('textbox').first()
    await box.fill(text)
    await box.press('Enter')
    return page
  }

  async #shot(page: Page, what: string): Promise<void> {
    await page.screenshot({ path: join(cache, `${this.#name}-${what}.png`) })
  }

  async streams(): Promise<void> {
    const page = await this.#say('hello', 'Hello')
    await page.getByText('Hello. What can I do?').waitFor()
    await page.context().close()
  }

  async approvesAfterReload(): Promise<void> {
    const before = outbox.length
    const page = await this.#say('held', 'write to Bo')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await this.#shot(page, 'held')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('The e-mail is out.').first().waitFor()
    await this.#shot(page, 'approved')
    await page.reload()
    await page.getByText('The e-mail is out.').first().waitFor()
    if (outbox.length !== before + 1) throw new Error(`${outbox.length - before} e-mails were sent.`)
    if ((await page.getByText('I am writing it.').count()) !== 1) throw new Error('A message is shown twice.')
    await page.context().close()
  }

  async denies(): Promise<void> {
    const before = outbox.length
    const page = await this.#say('denied', 'write to Bo')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Then I will not send it.').waitFor()
    if (outbox.length !== before) throw new Error('A denied e-mail was sent.')
    await page.context().close()
  }

  async runsClientTool(): Promise<void> {
    const page = await this.#say('zone', 'what time')
    await page.getByText('I know your time zone now.').waitFor()
    await page.context().close()
  }

  /** Another person answers in the console. The page shows it when it is loaded again. */
  async isAnsweredByAnother(): Promise<void> {
    const before = outbox.length
    const page = await this.#say('other', 'write to Bo')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    const other = await this.#open(`/#key=${consoleKey}`, 'ben')
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByText('Tool calls that wait for you').waitFor()
    await other.goto(`${this.#origin}/conversations/${this.#name}-other`)
    await other.getByRole('button', { name: 'Approve', exact: true }).first().waitFor()
    await this.#shot(other, 'console')
    await other.getByRole('button', { name: 'Approve', exact: true }).first().click()
    await other.getByText('The e-mail is out.').first().waitFor()
    await page.reload()
    await page.getByText('The e-mail is out.').first().waitFor()
    if (outbox.length !== before + 1) throw new Error(`${outbox.length - before} e-mails were sent.`)
    await other.context().close()
    await page.context().close()
  }
}

async function told(browser: Browser, name: string): Promise<readonly string[]> {
  const folder = built(name)
  const store = join(cache, `${name}.db`)
  for (const end of ['', '-wal', '-shm']) rmSync(store + end, { force: true })
  const site = join(root, 'packages/gateway/console')
  const { app, close } = await starterServer({ pages: folder, console: site, consoleKey, store })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  const story = new Story(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, name)
  const problems: string[] = []
  for (const part of ['streams', 'approvesAfterReload', 'denies', 'runsClientTool', 'isAnsweredByAnother'] as const)
    await story[part]().then(
      () => console.log(`  ${name}: ${part}`),
      (error: unknown) => problems.push(`${name}: ${part}: ${String(error)}`),
    )
  server.close()
  await close()
  return problems
}

const executablePath = findBrowser()
if (executablePath === undefined) throw new Error('There is no Chromium: run `node scripts/browser.ts`.')
await buildConsole()
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
const problems: string[] = []
for (const name of STARTERS) problems.push(...(await told(browser, name)))
await browser.close()
report(problems, `starters: ${STARTERS.join(' and ')} work in Chromium`)
