/** Runs ranges of seeds in a worker thread, and reports the result of each range. */
import { parentPort } from 'node:worker_threads'
import { simulate, type Mishap } from '@holdpoint/testing'
import { ChannelsOfAWorld } from './channels-of-a-world.ts'

export interface Range {
  readonly from: number
  readonly count: number
  readonly mishap: Mishap | undefined
  readonly channels: boolean
}

export interface Broken {
  readonly seed: number
  readonly invariant: string
  readonly what: string
}

export interface RangeResult {
  readonly count: number
  readonly steps: number
  readonly faults: Readonly<Record<string, number>>
  readonly broken: readonly Broken[]
  /** How many seeds were run twice, to check that both runs are the same. */
  readonly compared: number
}

/** One of this many seeds is run twice. */
const COMPARE_EVERY = 50

export async function runRange({ from, count, mishap, channels }: Range): Promise<RangeResult> {
  const faults: Record<string, number> = {}
  const broken: Broken[] = []
  const options = { ...(mishap && { mishap }), ...(channels && { extend: ChannelsOfAWorld.in }) }
  let steps = 0
  let compared = 0
  for (let seed = from; seed < from + count; seed++) {
    const result = await simulate({ seed, ...options })
    steps += result.steps
    for (const [kind, times] of Object.entries(result.faults)) faults[kind] = (faults[kind] ?? 0) + times
    if (result.violation) broken.push({ seed, ...result.violation })
    if (seed % COMPARE_EVERY !== 0) continue
    compared++
    const again = await simulate({ seed, ...options })
    const what = `the second run has the hash ${again.hash}, not ${result.hash}`
    if (again.hash !== result.hash) broken.push({ seed, invariant: 'same seed, same trace', what })
  }
  return { count, steps, faults, broken, compared }
}

parentPort?.on('message', (range: Range) => {
  void runRange(range).then((result) => parentPort?.postMessage(result))
})
