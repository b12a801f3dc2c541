/** Loads the core with one bug in a worker thread, and reports the first seed that finds it. */
import { parentPort, workerData } from 'node:worker_threads'
import { bugs } from './bugs/all.ts'
import { patchSources } from './patch-sources.ts'

export interface Hunt {
  readonly name: string
  readonly seeds: number
}

export type Hunted =
  | { readonly caught: true; readonly seed: number; readonly invariant: string; readonly what: string }
  | { readonly caught: false }

const { name, seeds } = workerData as Hunt
const bug = bugs.find((each) => each.name === name)
if (!bug) throw new Error(`There is no bug "${name}".`)
const { patches = [], tamper, mishap, channels } = bug
const patched = patchSources(patches)
const { simulate } = await import('@holdpoint/testing')
const extend = channels && (await import('./channels-of-a-world.ts')).ChannelsOfAWorld.in
patched.check()

let hunted: Hunted = { caught: false }
for (let seed = 1; seed <= seeds && !hunted.caught; seed++) {
  const { violation } = await simulate({
    seed,
    ...(tamper && { tamper }),
    ...(mishap && { mishap }),
    ...(extend && { extend }),
  })
  if (violation) hunted = { caught: true, seed, ...violation }
}
parentPort?.postMessage(hunted)
