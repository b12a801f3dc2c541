/** The main thread's side of a thread for untrusted schemas: one job at a time, with a limit of processor time. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SchemaThreadJob, SchemaThreadMessage } from './schema-thread.ts'

export interface Budget {
  /** Milliseconds of processor time, not of the clock, so that a busy machine does not make jobs fail. */
  readonly compileMs: number
  readonly checkMs: number
}

/** What is wrong with the schema or the value. Undefined if nothing is. */
export type CheckResult = string | undefined

const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** The shortest interval between two checks of the processor time. */
const LOOK_MS = 20

export class SchemaWorker {
  readonly #budget: Budget
  readonly #thread: Worker
  #answer: ((answer: CheckResult) => void) | undefined
  #job: SchemaThreadJob | undefined
  #phase: 'starting' | 'compiling' | 'checking' = 'starting'
  /** The thread's processor time when the phase began. */
  #since = 0
  #timer: NodeJS.Timeout | undefined
  #gone = false

  constructor(budget: Budget) {
    this.#budget = budget
    const file = new URL('./schema-thread.ts', import.meta.url)
    // The published files are `.js`, like this one. The compiler renames only imports, not this path.
    file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
    // Without the flags of the process, because a thread refuses some of them.
    this.#thread = new Worker(file, { execArgv: [], resourceLimits: MEMORY, name: 'holdpoint-schemas' })
    this.#thread.on('message', (said: SchemaThreadMessage) => this.#hear(said))
    this.#thread.on('error', (error) => this.#end(`it could not be checked: ${error.message}`))
    this.#thread.on('exit', () => this.#end('it could not be checked: the thread that checks ended.'))
  }

  /** Whether the thread ended, so that the next job needs another one. */
  get gone(): boolean {
    return this.#gone
  }

  run(job: SchemaThreadJob): Promise<CheckResult> {
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

  /** Runs when the time is up by the clock. Ends the thread only if it used that much processor time. */
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

  #settle(answer: CheckResult): void {
    clearTimeout(this.#timer)
    this.#thread.unref()
    const tell = this.#answer
    this.#answer = undefined
    this.#job = undefined
    tell?.(answer)
  }
}
