/**
 * Simulates many seeds on every core, and ends with one line of JSON.
 *
 *   npm run sim -- --seeds 20000            20000 seeds
 *   npm run sim -- --seeds 500 --from 7001  500 seeds, from 7001 on
 *   npm run sim -- --seed 42                one seed, with everything that happens in it
 *   npm run sim -- --mishap rollback        in every seed, the store loses its newest writes; see `mishaps`
 *   npm run sim -- --channels               each process also runs channels
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { faultKinds, invariants, mishaps, simulate, type InvariantId } from '@holdpoint/testing'
import { wholeNumber } from '../scripts/lib/whole-number.ts'
import { ChannelsOfAWorld } from './channels-of-a-world.ts'
import { neverStruck } from './never-struck.ts'
import type { Broken, Range, RangeResult } from './seed-worker.ts'

/** Seeds per message to a thread. With many more, the threads would not end at about the same time. */
const AT_ONCE = 50
/** A run stops after this many violations. */
const ENOUGH = 20

interface Totals {
  readonly faults: Record<string, number>
  seeds: number
  steps: number
  compared: number
  readonly broken: Broken[]
}

async function many(seeds: number, from: number): Promise<void> {
  const started = performance.now()
  const seconds = (): number => Math.round((performance.now() - started) / 100) / 10
  const totals: Totals = { faults: {}, seeds: 0, steps: 0, compared: 0, broken: [] }
  for (const kind of faultKinds) totals.faults[kind] = 0
  let next = from
  const ranges = (): Range | undefined => {
    const count = Math.min(AT_ONCE, from + seeds - next)
    if (count <= 0 || totals.broken.length >= ENOUGH) return undefined
    next += count
    return { from: next - count, count, mishap, channels }
  }
  const progress = setInterval(() => tell(totals, seeds, seconds()), 5000)
  const threads = Math.min(availableParallelism(), Math.ceil(seeds / AT_ONCE))
  await Promise.all(Array.from({ length: threads }, () => work(ranges, (result) => add(totals, result))))
  clearInterval(progress)
  tell(totals, seeds, seconds())
  const { faults, steps } = totals
  console.log(
    JSON.stringify({ seeds: totals.seeds, violations: totals.broken.length, steps, faults, seconds: seconds() }),
  )
  const missing = mishap || channels ? [] : neverStruck(totals.seeds, faults)
  if (missing.length > 0) console.error(`In ${totals.seeds} seeds these faults never happened: ${missing.join(', ')}.`)
  if (totals.broken.length > 0 || missing.length > 0) process.exitCode = 1
}

/** Runs one thread until no range is left. */
function work(ranges: () => Range | undefined, done: (result: RangeResult) => void): Promise<void> {
  const worker = new Worker(new URL('./seed-worker.ts', import.meta.url))
  return new Promise((resolve, reject) => {
    const give = (): void => {
      const range = ranges()
      if (range) return worker.postMessage(range)
      void worker.terminate().then(() => resolve())
    }
    worker.on('message', (result: RangeResult) => {
      done(result)
      give()
    })
    worker.on('error', reject)
    give()
  })
}

function add(totals: Totals, { count, steps, faults, broken, compared }: RangeResult): void {
  totals.seeds += count
  totals.steps += steps
  totals.compared += compared
  for (const [kind, times] of Object.entries(faults)) totals.faults[kind] = (totals.faults[kind] ?? 0) + times
  for (const each of broken) {
    totals.broken.push(each)
    console.error(`seed ${each.seed} broke ${each.invariant}: ${each.what}`)
    console.error(
      `  replay it with: npm run sim -- --seed ${each.seed}${mishap ? ` --mishap ${mishap}` : ''}${channels ? ' --channels' : ''}`,
    )
  }
}

function tell({ seeds, broken, compared }: Totals, of: number, seconds: number): void {
  const rate = Math.round(seeds / Math.max(seconds, 0.1))
  console.error(`${seeds} of ${of} seeds, ${broken.length} broken, ${compared} run twice, ${rate} a second`)
}

async function one(seed: number): Promise<void> {
  const { violation, trace, steps, lasted, hash, faults } = await simulate({
    seed,
    trace: true,
    ...(mishap && { mishap }),
    ...(channels && { extend: ChannelsOfAWorld.in }),
  })
  for (const line of trace) console.log(line)
  console.error(`${steps} steps, ${lasted / 1000} simulated seconds, hash ${hash}`)
  console.error(`faults: ${JSON.stringify(faults)}`)
  if (!violation) return console.error('Nothing was broken.')
  console.error(`broken: ${violation.invariant}: ${invariants[violation.invariant satisfies InvariantId]}`)
  console.error(violation.what)
  process.exitCode = 1
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mishap: { type: 'string' },
    channels: { type: 'boolean', default: false },
  },
})
const { channels } = values
const mishap = mishaps.find((each) => each === values.mishap)
if (values.mishap !== undefined && !mishap) throw new Error(`--mishap is one of ${mishaps.join(', ')}.`)
const [seeds, from] = [wholeNumber('seeds', values.seeds), wholeNumber('from', values.from)]
await (values.seed === undefined ? many(seeds, from) : one(wholeNumber('seed', values.seed)))
