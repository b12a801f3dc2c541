/** One thread for schemas of strangers, as the main thread sees it: one job at a time, within its processor time. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SchemaThreadJob, SchemaThreadMessage } from './schema-thread.ts'

export interface Budget {
  /** Milliseconds of processor time, not of the clock: a busy machine makes nothing fail. */
  readonly compileMs: number
  readonly checkMs: number
}

/** Undefined when the job is done and nothing is wrong. */
export type Answer = string | undefined

const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** How long to wait at least until the processor time is looked at again. */
const LOOK_MS = 20

export class SchemaWorker {
  readonly #budget: Budget
  readonly #thread: Worker
  #answer: ((answer: Answer) => void) | undefined
  #job: SchemaThreadJob | undefined
  #phase: 'starting' | 'compiling' | 'checking' = 'starting'
  /** The thread's processor time when the phase began. */
  #since = 0
  #timer: NodeJS.Timeout | undefined
  #gone = false

  constructor(budget: Budget) {
    this.#budget = budget
    const file = new URL('./schema-thread.ts', import.meta.url)
    // What is shipped is `.js`, as this file is then; the compiler renames imports only.
    file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
    // No flags of the process: it may have been started with some that a thread refuses, and this one needs none.
    this.#thread = new Worker(file, { execArgv: [], resourceLimits: MEMORY, name: 'holdpoint-schemas' })
    this.#thread.on('message', (said: SchemaThreadMessage) => this.#hear(said))
    this.#thread.on('error', (error) => this.#end(`it could not be checked: ${error.message}`))
    this.#thread.on('exit', () => this.#end('it could not be checked: the thread that checks ended.'))
  }

  /** Whether it ended, so that the next job needs another one. */
  get gone(): boolean {
    return this.#gone
  }

  run(job: SchemaThreadJob): Promise<Answer> {
    this.#thread.ref()
    return new Promise((answer) => {
      this.#answer = answer
      this.#job = job
      if (this.#phase !== 'starting') this.#begin(job)
    })
  }

  #begin(job: SchemaThreadJob): void {
    this.#phase = 'compiling'
    this.#thread.postMessage(job)
    this.#watch(this.#budget.compileMs)
  }

  #hear({ at, why, cpu }: SchemaThreadMessage): void {
    this.#since = cpu
    if (at === 'ready') {
      this.#phase = 'compiling'
      if (this.#job) this.#begin(this.#job)
    } else if (at === 'compiled') {
      this.#phase = 'checking'
      this.#watch(this.#budget.checkMs)
    } else {
      this.#settle(why)
    }
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), Math.max(LOOK_MS, ms))
  }

  /** The clock says that time is up. Whether the thread had the processor for so long is another matter. */
  async #look(): Promise<void> {
    const [job, phase] = [this.#job, this.#phase]
    const usage = await this.#thread.cpuUsage().catch(() => undefined)
    if (!usage || this.#job !== job || this.#phase !== phase) return
    const [limit, what] =
      phase === 'checking' ? [this.#budget.checkMs, 'checked'] : [this.#budget.compileMs, 'compiled']
    const used = (usage.user + usage.system) / 1000 - this.#since
    if (used < limit) return this.#watch(limit - used)
    this.#end(`it could not be ${what} within ${limit} ms of processor time. Make the schema simpler.`)
  }

  #end(why: string): void {
    this.#gone = true
    void this.#thread.terminate()
    this.#settle(why)
  }

  #settle(answer: Answer): void {
    clearTimeout(this.#timer)
    this.#thread.unref()
    const tell = this.#answer
    this.#answer = undefined
    this.#job = undefined
    tell?.(answer)
  }
}
