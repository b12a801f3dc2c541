/** Makes images from a recording, and judges each. The same seed makes the same images of the same recording. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../packages/testing/src/sim/random.ts'
import { Disk, type Keep } from './disk.ts'
import { judgeImage, type ImageJudgement } from './judge-image.ts'
import type { Op, Recording } from './recording.ts'
import { DATABASE, toldBy, type Told } from './told.ts'

/**
 * Syncs that are treated as if they had never been issued. An image of a store that needs them must lose something: if it
 * does not, images do not show what they should.
 */
export const WITHOUT = [
  'nothing',
  'any sync',
  'syncs of the log',
  'syncs of the database',
  'syncs of the folder',
] as const
export type Without = (typeof WITHOUT)[number]

export interface ImagesOptions {
  readonly recording: Recording
  readonly seed: number
  readonly images: number
  readonly without: Without
  /** Every `of`-th image is judged, from `share` on: another process judges the others. */
  readonly share: number
  readonly of: number
  /** Where images are laid out, one after the other. */
  readonly folder: string
  /** Where images that lost something or are broken are kept. */
  readonly keep?: string
}

export interface JudgedImage extends ImageJudgement {
  readonly image: number
  /** So many operations were done before the power was lost. */
  readonly cut: number
  readonly kept: Readonly<Record<string, Keep>>
  /** How much was acknowledged before. */
  readonly acked: number
}

export async function* judgedImages(options: ImagesOptions): AsyncIterable<JudgedImage> {
  const { recording, seed, share, of, folder, without } = options
  const disk = new Disk()
  const told: Told[] = []
  let done = 0
  for (const [nth, { image, cut }] of cutsOf(recording, seed, options.images).entries()) {
    if (nth % of !== share) continue
    for (const op of recording.ops.slice(done, cut)) {
      if (!isWithout(op, recording, without)) disk.apply(op)
      const line = toldBy(op)
      if (line) told.push(line)
    }
    done = cut
    const { files, kept } = disk.image(new Random(seed).fork(`image ${image}`))
    const place = join(folder, String(image))
    try {
      layOut(place, files)
      const { lost, broken } = await judgeImage(place, told)
      if (options.keep !== undefined && lost.length + broken.length > 0)
        layOut(join(options.keep, String(image)), files)
      yield { image, cut, kept, acked: told.length, lost, broken }
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }
}

function layOut(place: string, files: ReadonlyMap<string, Buffer>): void {
  mkdirSync(place, { recursive: true })
  for (const [name, bytes] of files) writeFileSync(join(place, name), bytes, { mode: 0o600 })
}

/**
 * In the order of the recording, so that the disk moves forward. Most operations are writes and syncs of the log, and most
 * of what can go wrong is elsewhere: a third of the images are near other operations, and a third follow an acknowledgement.
 */
function cutsOf({ ops, names }: Recording, seed: number, images: number): { image: number; cut: number }[] {
  const random = new Random(seed).fork('cuts')
  const acks = indexesOf(ops, (op) => op.do === 'tell')
  const others = indexesOf(
    ops,
    (op) => op.do !== 'tell' && !('file' in op && op.do !== 'create' && isLog(names, op.file)),
  )
  const cuts = Array.from({ length: images }, (_, image) => {
    const cut = [
      () => random.below(ops.length + 1),
      () => random.pick(acks) + 1,
      () => random.pick(others) + random.between(-3, 4),
    ][image % 3]!()
    return { image, cut: Math.min(ops.length, Math.max(0, cut)) }
  })
  return cuts.toSorted((one, other) => one.cut - other.cut)
}

function indexesOf(ops: readonly Op[], is: (op: Op) => boolean): number[] {
  return ops.flatMap((op, index) => (is(op) ? [index] : []))
}

function isLog(names: ReadonlyMap<number, string>, file: number): boolean {
  return names.get(file) === `${DATABASE}-wal`
}

function isWithout(op: Op, { names }: Recording, without: Without): boolean {
  switch (without) {
    case 'nothing':
      return false
    case 'any sync':
      return op.do === 'sync' || op.do === 'sync-folder'
    case 'syncs of the log':
      return op.do === 'sync' && isLog(names, op.file)
    case 'syncs of the database':
      return op.do === 'sync' && !isLog(names, op.file)
    case 'syncs of the folder':
      return op.do === 'sync-folder'
  }
}

/** How often SQLite began to write the log from its start again, after it moved everything into the database. */
export function logRestarts({ ops, names }: Recording): number {
  const starts = ops.flatMap((op) => (op.do === 'write' && op.at === 0 && isLog(names, op.file) ? [op.file] : []))
  return starts.length - new Set(starts).size
}
