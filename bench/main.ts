/**
 * `npm run bench -- <name>`: runs one benchmark. It prints results to standard output as JSON lines, and progress to standard
 * error. With `--check` it fails when a limit was missed. See docs/guide/benchmarks.md.
 */
import { agents } from './agents.ts'
import { cells } from './cells.ts'
import { context } from './context.ts'
import { footprint } from './footprint.ts'
import { gateway } from './gateway.ts'
import { live } from './live.ts'
import { loop } from './loop.ts'
import { Misuse, optionsOf, storeOf, type Options } from './options.ts'
import { search } from './search.ts'
import { start } from './start.ts'
import { held } from './storage/held.ts'
import { print, type Report } from './storage/report.ts'
import type { Settings } from './storage/settings.ts'
import { w1 } from './storage/w1.ts'
import { w2 } from './storage/w2.ts'
import { w3 } from './storage/w3.ts'
import { w4 } from './storage/w4.ts'

type Bench = (options: Options) => Promise<Report | undefined>

const benches: Readonly<Record<string, Bench>> = {
  loop: async () => {
    await loop()
    return undefined
  },
  w1: onStore(w1),
  w2: onStore(w2),
  w3: onStore(w3),
  w4: onStore(w4),
  held,
  agents,
  cells,
  context,
  gateway,
  live,
  footprint,
  search: onStore(search),
  start,
}

function onStore(bench: (settings: Settings) => Promise<Report>): Bench {
  return (options) => bench({ ...options, store: storeOf(options) })
}

try {
  const options = optionsOf(process.argv.slice(2), Object.keys(benches))
  const report = await benches[options.bench]?.(options)
  if (report && !print(report) && options.check) process.exitCode = 1
} catch (error) {
  if (!(error instanceof Misuse)) throw error
  console.error(error.message)
  process.exitCode = 1
}
