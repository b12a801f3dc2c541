/** The application of `examples/use-chat` in a process of its own, which can be killed, and pages of it in a real browser. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../../test/find-browser.ts'

const SERVER = fileURLToPath(new URL('../../../examples/use-chat/server.ts', import.meta.url))

export interface ChatStage {
  /** A window of a person, with the chat of this conversation. */
  open(id: string, as?: string): Promise<Page>
  /** What was really sent, one line for each time that the tool ran. */
  readonly outbox: readonly string[]
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function chatStage(): Promise<ChatStage> {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error('There is no Chromium to test pages in: run `node scripts/browser.ts`.')
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-chat-'))
  const store = join(folder, 'chat.db')
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  let child: ChildProcess | undefined
  let origin = ''
  const start = async (): Promise<void> => {
    const port = origin === '' ? '0' : new URL(origin).port
    child = spawn(process.execPath, ['--conditions=@holdpoint/source', SERVER], {
      env: { ...process.env, STORE: store, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    origin = new URL(String(said).trim()).origin
  }
  const kill = async (): Promise<void> => {
    if (!child) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    child = undefined
    await ended
  }
  await start()
  return {
    open: async (id, as = 'ada') => {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${origin}/login/${as}`)
      await page.goto(`${origin}/?id=${id}`)
      return page
    },
    get outbox() {
      const file = `${store}.outbox`
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    },
    kill,
    start,
    close: async () => {
      await browser.close()
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
