/** Starts the sides as processes, sends them requests, and ends them with the benchmark. */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Answer, Request } from './requests.ts'

const PROGRAM = join(import.meta.dirname, '../contestant.ts')

export class Contestant {
  readonly #process: ChildProcess
  #asked: PromiseWithResolvers<readonly number[]> | undefined

  constructor(name: string) {
    this.#process = fork(PROGRAM, { execArgv: [...process.execArgv, '--expose-gc', ...profiling(name)] })
    this.#process.on('message', (answer: Answer) => {
      if ('error' in answer) this.#asked?.reject(new Error(`${name}: ${answer.error}`))
      else this.#asked?.resolve(answer.numbers)
    })
    this.#process.on('exit', (code, signal) => this.#asked?.reject(new Error(`${name} ended: ${signal ?? code}`)))
  }

  /** One question at a time. */
  async ask(request: Request): Promise<readonly number[]> {
    this.#asked = Promise.withResolvers()
    this.#process.send(request)
    return this.#asked.promise
  }

  /** For requests whose answer is one number. */
  async askOne(request: Request): Promise<number> {
    const [number] = await this.ask(request)
    if (number === undefined) throw new Error(`There is no answer to ${request.do}.`)
    return number
  }

  /** An idle process ends on its own once it is disconnected. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.connected) this.#process.disconnect()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(timer)
  }
}

/** With `HOLDPOINT_BENCH_PROFILE=<folder>`, the process leaves a CPU profile in a folder of this name. */
export function profiling(name: string): readonly string[] {
  const folder = process.env.HOLDPOINT_BENCH_PROFILE
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`] : []
}
