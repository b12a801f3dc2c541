/**
 * Adds each bug of the zoo to the core or its store, and simulates until a check fails. A simulation that finds no failure
 * means little unless it also finds bugs that were added on purpose. `npm run zoo` ends with `N of N caught`. Parts of
 * names select bugs: `npm run zoo -- late-answer lease`.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { bugs } from './bugs/all.ts'
import type { Hunt, Hunted } from './bug-worker.ts'

const SEEDS = 1500

function hunt(name: string): Promise<Hunted> {
  const workerData: Hunt = { name, seeds: SEEDS }
  const worker = new Worker(new URL('./bug-worker.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error(`The thread that searches for ${name} ended without a result.`)))
  })
}

async function main(only: readonly string[]): Promise<void> {
  const unknown = only.find((part) => !bugs.some(({ name }) => name.includes(part)))
  if (unknown !== undefined) throw new Error(`No bug has ${JSON.stringify(unknown)} in its name.`)
  const queue = bugs.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
  const total = queue.length
  let caught = 0
  const hunter = async (): Promise<void> => {
    for (let bug = queue.shift(); bug; bug = queue.shift()) {
      const found = await hunt(bug.name)
      if (found.caught) caught++
      const how = found.caught ? `seed ${found.seed}, ${found.invariant}` : `survived ${SEEDS} seeds`
      console.log(`${found.caught ? 'caught  ' : 'SURVIVED'} ${bug.name}: ${how}`)
      if (found.caught && only.length > 0) console.log(`         ${found.what}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, hunter))
  console.log(`${caught} of ${total} caught`)
  if (caught < total) process.exitCode = 1
}

await main(process.argv.slice(2))
