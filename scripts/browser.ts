/**
 * Makes sure that there is a browser for tests of pages. If there is none, it installs Playwright's Chromium, which does not
 * change the system. If that fails and the user may install packages, it installs Debian's.
 */
import { capture } from './lib/run.ts'
import { findBrowser } from '../test/find-browser.ts'

const APT_MS = 600_000

function install(...commands: readonly (readonly string[])[]): string {
  const said = commands.map((command) => capture(command, undefined, APT_MS))
  return said.map(({ stdout, stderr }) => stdout + stderr).join('')
}

const ways: readonly (() => string)[] = [
  () => install(['playwright-core', 'install', 'chromium']),
  () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return ''
    return install(['apt-get', 'update'], ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'])
  },
]

let found = findBrowser()
if (found === undefined) console.log('There is no Chromium; installing one for the tests.')
let said = ''
for (const way of ways) {
  if (found !== undefined) break
  said += way()
  found = findBrowser()
}
if (found === undefined) {
  console.error(said)
  console.error(
    '✗ No Chromium was found, and none could be installed. Install one, or set its path: CHROMIUM=/path/to/chromium',
  )
  process.exitCode = 1
} else console.log(`✓ browser: ${found}`)
