/** Finds the Chromium for page tests: the one of the system, or an installed one. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** `CHROMIUM` of the environment comes first. Undefined when there is none. */
export function findBrowser(): string | undefined {
  const given = process.env['CHROMIUM']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = [
    ...(given === undefined || given === '' ? [] : [given]),
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...ELSEWHERE,
    chromium.executablePath(),
  ]
  return candidates.find(canRun)
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
