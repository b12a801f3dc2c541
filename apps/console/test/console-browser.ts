/** A browser for the console, which is built first. For tests with a gateway of their own: no other one is started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { findBrowser } from '../../../test/find-browser.ts'

const root = join(import.meta.dirname, '../../..')

export async function consoleBrowser(): Promise<Browser> {
  const [browser] = await Promise.all([launchBrowser(), built()])
  return browser
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error('There is no Chromium to test pages in: run `node scripts/browser.ts`.')
  // Chromium cannot use its sandbox as root, for instance in a container.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/** In a process of its own: the environment of a test would give the development version of React. */
async function built(): Promise<void> {
  const args = ['--conditions=@holdpoint/source', join(root, 'scripts/console.ts')]
  const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) throw new Error(`The build of the console ended with ${code}.`)
}
