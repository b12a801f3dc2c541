/** Power losses of the SQLite store. `npm run power` makes any number of images, with longer recordings. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../packages/testing/src/sim/random.ts'
import { Disk } from '../../power/disk.ts'
import { flipBits } from '../../power/flips.ts'
import { powerLoss } from '../../power/power-loss.ts'
import { whyNotRecorded } from '../../power/record.ts'
import type { Op } from '../../power/recording.ts'

const why = whyNotRecorded()
if (why !== undefined) console.warn(`No power losses are tested. ${why}`)

test.skipIf(why !== undefined)(
  proves(
    'hold.never-accepted-and-dropped',
    'call.one-outcome',
    'log.no-gaps',
    'nothing acknowledged is lost, and the store goes on, after a power loss at any moment; a store without syncs loses much',
  ),
  async () => {
    const folder = temporaryFolder()
    const options = { folder, images: 60, controlImages: 12, turns: 70, seed: Date.now() % 1_000_000 }
    const { acked, lost, broken, problems, weak } = await powerLoss(options)
    expect(problems, `seed ${options.seed}`).toEqual([])
    expect({ lost, broken, weak }).toEqual({ lost: 0, broken: 0, weak: [] })
    expect(acked).toBeGreaterThan(1000)
  },
  360_000,
)

const OLD = Buffer.alloc(1024, 1)
const NEW = Buffer.alloc(1024, 2)
const made: readonly Op[] = [
  { do: 'create', name: 'a', file: 1 },
  { do: 'write', file: 1, at: 0, data: OLD },
]
const synced: readonly Op[] = [...made, { do: 'sync', file: 1 }, { do: 'sync-folder' }]
const written: readonly Op[] = [...synced, { do: 'write', file: 1, at: 0, data: NEW }]

test('what was synced is in every image', () => {
  expect(contentsOf(synced)).toEqual(new Set([OLD.toString('hex')]))
})

test('a write that was not synced may be there, be missing, or be there in one of its sectors', () => {
  const [one, other] = [OLD.subarray(512), NEW.subarray(512)]
  const torn = [Buffer.concat([one, other]), Buffer.concat([other, one])]
  expect(contentsOf(written)).toEqual(new Set([OLD, NEW, ...torn].map((bytes) => bytes.toString('hex'))))
})

test('a file whose folder was not synced may be missing, also when the file itself was synced', () => {
  expect(contentsOf([...made, { do: 'sync', file: 1 }])).toEqual(new Set([OLD.toString('hex'), 'no file']))
})

test('a file that was removed may come back until its folder is synced', () => {
  const removed: readonly Op[] = [...synced, { do: 'unlink', name: 'a' }]
  expect(contentsOf(removed)).toEqual(new Set([OLD.toString('hex'), 'no file']))
  expect(contentsOf([...removed, { do: 'sync-folder' }])).toEqual(new Set(['no file']))
})

/** Of the file `a`, over many images. */
function contentsOf(ops: readonly Op[]): Set<string> {
  const disk = new Disk()
  for (const op of ops) disk.apply(op)
  const images = Array.from({ length: 300 }, (_, seed) => disk.image(new Random(seed)).files.get('a'))
  return new Set(images.map((bytes) => bytes?.toString('hex') ?? 'no file'))
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-power-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a bit that flips in a closed store changes nothing, or is found', { timeout: 300_000 }, async () => {
  const seed = Date.now() % 1_000_000
  const { found, harmless, undetected } = await flipBits({ folder: temporaryFolder(), flips: 20, seed })
  expect(undetected, `seed ${seed}`).toEqual([])
  expect(found + harmless).toBe(20)
  expect(found).toBeGreaterThan(0)
})
