/** Records the store, makes images of what a disk may hold after a power loss, and judges them, next to controls. */
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../crash/child.ts'
import { logRestarts, WITHOUT, type Without } from './images.ts'
import type { JudgeLine, JudgeOrder } from './judge-process.ts'
import { ON_SOURCES, record } from './record.ts'

export interface PowerLossOptions {
  /** For everything that is written, in memory if possible. */
  readonly folder: string
  readonly images: number
  /** Of each control. */
  readonly controlImages: number
  /** Of the workload: about eighty operations on files each. */
  readonly turns: number
  readonly seed: number
  /** Where images with a problem are kept. */
  readonly keep?: string
  progress?(judged: number): void
}

export interface PowerLoss {
  readonly images: number
  /** How much was acknowledged before the power was lost, over all images. */
  readonly acked: number
  readonly lost: number
  /** Images that do not open, contradict themselves, or take no message. */
  readonly broken: number
  readonly control: { readonly images: number; readonly lost: number }
  readonly problems: readonly string[]
  /** Why the images do not show enough: controls that lost nothing. */
  readonly weak: readonly string[]
}

export async function powerLoss(options: PowerLossOptions): Promise<PowerLoss> {
  const { folder, seed, turns, images, controlImages, keep } = options
  const recording = await record({ folder, seed, turns })
  const weak =
    logRestarts(recording) > 0 ? [] : ['The log was never moved into the database while the store was in use.']
  let judged = 0
  const all = async (without: Without, count: number): Promise<readonly JudgeLine[]> =>
    judgeAll(
      {
        trace: join(folder, 'trace'),
        seed,
        images: count,
        without,
        folder,
        ...(without === 'nothing' && keep && { keep }),
      },
      () => options.progress?.(++judged),
    )
  const lines = await all('nothing', images)
  const control = { images: 0, lost: 0 }
  for (const without of WITHOUT) {
    if (without === 'nothing') continue
    const controls = await all(without, controlImages)
    control.images += controls.length
    control.lost += sum(controls.map(({ lost }) => lost))
    if (controls.every(({ lost, broken }) => lost === 0 && !broken))
      weak.push(`Without ${without}, no image of ${controls.length} lost anything.`)
  }
  return {
    images: lines.length,
    acked: sum(lines.map(({ acked }) => acked)),
    lost: sum(lines.map(({ lost }) => lost)),
    broken: lines.filter(({ broken }) => broken).length,
    control,
    problems: lines.flatMap(problemsOf),
    weak,
  }
}

async function judgeAll(order: Omit<JudgeOrder, 'share' | 'of'>, done: () => void): Promise<readonly JudgeLine[]> {
  const of = availableParallelism()
  const lines: JudgeLine[] = []
  const share = async (nth: number): Promise<void> => {
    const folder = join(order.folder, `images-${nth}`)
    mkdirSync(folder, { recursive: true })
    const child = startChild('../power/judge-process.ts', {
      args: [JSON.stringify({ ...order, folder, share: nth, of } satisfies JudgeOrder)],
      env: ON_SOURCES,
      hear: (line) => {
        lines.push(line as unknown as JudgeLine)
        done()
      },
    })
    const end = await child.died
    if (end !== 0) throw new Error(`A process that judges images ended with ${end}.`)
  }
  await Promise.all(Array.from({ length: of }, (_, nth) => share(nth)))
  // A process that ended early would have found nothing.
  if (lines.length !== order.images) throw new Error(`${lines.length} of ${order.images} images were judged.`)
  return lines
}

function problemsOf({ image, cut, kept, lost, broken, problems }: JudgeLine): string[] {
  if (lost === 0 && !broken) return []
  return [`image ${image}, after ${cut} operations, ${JSON.stringify(kept)}: ${problems.join('; ')}`]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
