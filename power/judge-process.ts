/** A process that makes and judges its share of the images, and prints a line for each. */
import { readRecording } from './record.ts'
import { judgedImages, type ImagesOptions, type JudgedImage } from './images.ts'

/** The options of the process, as JSON in its first argument. */
export interface JudgeOrder extends Omit<ImagesOptions, 'recording'> {
  readonly trace: string
}

export interface JudgeLine extends Pick<JudgedImage, 'image' | 'cut' | 'kept' | 'acked'> {
  readonly lost: number
  readonly broken: boolean
  /** The first few. */
  readonly problems: readonly string[]
}

const SHOWN = 3

if (import.meta.main) {
  process.stdin.resume().on('end', () => process.exit(1)) // the parent is gone
  const { trace, ...order } = JSON.parse(process.argv[2] ?? '') as JudgeOrder
  for await (const { lost, broken, ...image } of judgedImages({ ...order, recording: readRecording(trace) })) {
    const problems = [...broken, ...lost.map((what) => `lost: ${what}`)].slice(0, SHOWN)
    const line: JudgeLine = { ...image, lost: lost.length, broken: broken.length > 0, problems }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  process.stdout.write('', () => process.exit(0))
}
