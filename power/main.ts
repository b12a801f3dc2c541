/**
 * `npm run power -- --images 10000 [--seed 1]`: cuts the power of the SQLite store. It records every write and sync of a
 * workload, makes images of what a disk may hold after a power loss, and opens each with the real store. The last line is
 * JSON. Controls, in which syncs are left out of the recording, must lose something.
 *
 * `npm run power -- --flips 1000 [--seed 1]` instead flips single bits of a closed store, and counts those that nothing finds.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/lib/whole-number.ts'
import { flipBits } from './flips.ts'
import { WITHOUT } from './images.ts'
import { powerLoss, type PowerLoss } from './power-loss.ts'
import { folderInMemory, whyNotRecorded } from './record.ts'

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    flips: { type: 'string' },
  },
})
const images = wholeNumber('images', values.images)
/** A workload with other timing, and another seed, for so many images. */
const IMAGES_OF_A_RECORDING = 1000
const TURNS = 120
/** Each leaves out other syncs. */
const CONTROLS = WITHOUT.length - 1

const firstSeed = wholeNumber('seed', values.seed)
if (values.flips !== undefined) await flip(wholeNumber('flips', values.flips))
else await losePower()

async function flip(flips: number): Promise<void> {
  const folder = folderInMemory('holdpoint-flips-')
  try {
    const progress = (done: number, undetected: number): void => {
      if (done % 50 === 0) process.stderr.write(`${done} of ${flips} flips, ${undetected} undetected\n`)
    }
    const count = await flipBits({ folder, flips, seed: firstSeed, progress })
    for (const each of count.undetected) process.stderr.write(`undetected: ${each}\n`)
    process.exitCode = count.undetected.length > 0 || count.found === 0 ? 1 : 0
    process.stdout.write(`${JSON.stringify({ ...count, undetected: count.undetected.length })}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function losePower(): Promise<void> {
  const why = whyNotRecorded()
  if (why !== undefined) throw new Error(why)
  const runs: PowerLoss[] = []
  const kept = mkdtempSync(join(tmpdir(), 'holdpoint-power-'))
  for (let made = 0; made < images; made += IMAGES_OF_A_RECORDING) {
    const seed = firstSeed + runs.length
    const keep = join(kept, String(seed))
    const folder = folderInMemory('holdpoint-power-')
    try {
      const count = Math.min(IMAGES_OF_A_RECORDING, images - made)
      const controlImages = Math.max(12, Math.ceil(count / 40))
      const progress = (judged: number): void => {
        if (judged % 50 > 0) return
        const all = count + CONTROLS * controlImages
        process.stderr.write(`recording ${seed}: ${judged} of ${all} images, ${made} of ${images} before\n`)
      }
      const run = await powerLoss({ folder, images: count, controlImages, turns: TURNS, seed, keep, progress })
      for (const problem of [...run.problems, ...run.weak]) process.stderr.write(`recording ${seed}: ${problem}\n`)
      if (existsSync(keep)) cpSync(join(folder, 'trace'), join(keep, 'trace'))
      runs.push(run)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const total = (of: (run: PowerLoss) => number): number => runs.reduce((sum, run) => sum + of(run), 0)
  const [acked, lost, broken] = [total((run) => run.acked), total((run) => run.lost), total((run) => run.broken)]
  if (lost + broken > 0) process.stderr.write(`The images with a problem, and their recordings, are in ${kept}\n`)
  else rmSync(kept, { recursive: true })
  // Where nothing was acknowledged, nothing could be lost, and nothing was shown.
  process.exitCode = lost + broken > 0 || acked === 0 || runs.some(({ weak }) => weak.length > 0) ? 1 : 0
  const control = { images: total((run) => run.control.images), lost: total((run) => run.control.lost) }
  process.stdout.write(`${JSON.stringify({ images: total((run) => run.images), acked, lost, broken, control })}\n`)
}
