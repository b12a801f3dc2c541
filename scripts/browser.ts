/**
 * Makes sure that there is a browser to test pages in: the system's Chromium, or one that is installed now. Playwright's
 * is tried first, which leaves the system as it is; where it cannot be had, and we may, Debian's package.
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
    '✗ No Chromium was found, and none could be installed. Install one, or say where it is: CHROMIUM=/path/to/it',
  )
  process.exitCode = 1
} else console.log(`✓ browser: ${found}`)
