/** Makes sure that there is a browser to test pages in: the system's Chromium, or one that is installed now. */
import { capture } from './lib/run.ts'
import { findBrowser } from '../test/find-browser.ts'

let found = findBrowser()
if (found === undefined) {
  console.log('There is no Chromium; installing one for the tests.')
  const { stdout, stderr } = capture(['playwright-core', 'install', 'chromium'])
  found = findBrowser()
  if (found === undefined) console.error(`${stdout}${stderr}`)
}
if (found === undefined) {
  console.error(
    '✗ No Chromium was found, and none could be installed. Install one, or say where it is: CHROMIUM=/path/to/it',
  )
  process.exitCode = 1
} else console.log(`✓ browser: ${found}`)
