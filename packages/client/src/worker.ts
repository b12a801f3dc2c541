/**
 * Carries out external calls: claims what waits, keeps the claim while the handler runs, brings the result. Any number of
 * workers share the load; a call whose worker falls silent is free again when its claim runs out.
 *
 * A handler may therefore meet a call that another one began: `call.callId` never changes, and tells.
 */
import type { ResolveAnswer } from '@holdpoint/core'
import type { ClaimBody, ClaimedCall } from '@holdpoint/protocol'
import type { Calls, ClaimLost } from './calls.ts'
import { ClaimedRun } from './claimed-run.ts'
import { passes } from './passing.ts'
import { randomKey } from './random-key.ts'
import { backoffMs, wait } from './wait.ts'
import type { WorkerTool } from './worker-tool.ts'

export interface WorkerOptions {
  /** What is carried out here, by the name of the tool. What it returns is the result, what it throws the reason why there is none. */
  readonly tools: Readonly<Record<string, WorkerTool>>
  /** How many at the same time; 1 unless said. */
  readonly concurrency?: number
  /** How long a claim lasts without a word from here; a minute unless said. It is renewed three times as often. */
  readonly ttlMs?: number
  /** Seconds that the gateway is asked to wait for work; 10 unless said, 30 at most. */
  readonly wait?: number
  /** How long `stop` waits for what is under way; 10 s unless said. */
  readonly graceMs?: number
  /** What became of a result. */
  readonly onResult?: (answer: ResolveAnswer | ClaimLost, call: ClaimedCall) => void
  /** Trouble on the way, after which it goes on by itself; and why it cannot go on, which `done` rejects with. */
  readonly onError?: (error: Error) => void
}

export interface Worker {
  /**
   * Resolves when the worker has stopped; rejects when it cannot go on, with a credential that is not good for instance.
   * Without `onError` that is an unhandled rejection where the program does not look at it.
   */
  readonly done: Promise<void>
  /** Takes nothing new, lets what is under way come to its end for a while, and gives the rest back. */
  stop(): Promise<void>
}

export function worker({ calls }: { readonly calls: Calls }, options: WorkerOptions): Worker {
  const loop = new WorkerLoop(calls, options)
  const done = loop.run()
  if (options.onError) done.catch(options.onError)
  return {
    done,
    stop: () => {
      loop.stop()
      return done
    },
  }
}

/** What a claim without waiting for work pauses. */
const LOOK_MS = 1000
/** By then the gateway knows that a worker hung up. */
const HUNG_UP_MS = 50
/** So long `stop` waits to hear what its last claim came to. */
const LAST_CLAIM_MS = 2000

class WorkerLoop {
  readonly #calls: Calls
  readonly #options: Required<Omit<WorkerOptions, 'onResult'>> & Pick<WorkerOptions, 'onResult'>
  readonly #running = new Map<ClaimedRun, Promise<void>>()
  /** Tools whose progress is not shown, which was reported once. */
  readonly #unshown = new Set<string>()
  readonly #stopping = new AbortController()
  /** Nothing is waited for any more. */
  readonly #over = new AbortController()

  constructor(calls: Calls, options: WorkerOptions) {
    this.#calls = calls
    this.#options = { concurrency: 1, ttlMs: 60_000, wait: 10, graceMs: 10_000, onError: () => {}, ...options }
    if (Object.keys(options.tools).length === 0) throw new TypeError('A worker needs at least one tool.')
  }

  stop(): void {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    const timer = setTimeout(() => this.#over.abort(), this.#options.graceMs)
    this.#over.signal.addEventListener('abort', () => clearTimeout(timer))
  }

  async run(): Promise<void> {
    try {
      for (let failures = 0; !this.#stopping.signal.aborted;) {
        try {
          await this.#look()
          failures = 0
        } catch (error) {
          if (this.#stopping.signal.aborted) break
          if (!passes(error)) throw error
          this.#options.onError(error as Error)
          await this.#pause(backoffMs(failures++, { base: 500, most: 30_000 }))
        }
      }
    } finally {
      await this.#end()
    }
  }

  async #look(): Promise<void> {
    const { tools, concurrency, ttlMs, wait: seconds } = this.#options
    const free = concurrency - this.#running.size
    if (free <= 0) return this.#oneEnds()
    const asked = Date.now()
    const items = await this.#claim({ tools: Object.keys(tools), max: Math.min(free, 100), ttlMs, wait: seconds })
    for (const call of items) this.#take(call)
    if (items.length === 0 && Date.now() - asked < Math.min(seconds * 1000, LOOK_MS)) await this.#pause(LOOK_MS)
    if (items.length === 0 && seconds === 0) await this.#pause(LOOK_MS)
  }

  async #claim(body: ClaimBody): Promise<readonly ClaimedCall[]> {
    const key = randomKey()
    const { signal } = this.#stopping
    try {
      return (await this.#calls.claim(body, { key, signal })).items
    } catch (error) {
      if (!signal.aborted) throw error
      // The gateway waits for no one who hung up. What it had claimed by then is asked for under the same key, and given back.
      await wait(HUNG_UP_MS)
      const until = AbortSignal.any([this.#over.signal, AbortSignal.timeout(LAST_CLAIM_MS)])
      return (await this.#calls.claim(body, { key, signal: until })).items
    }
  }

  #take(call: ClaimedCall): void {
    const { tools, ttlMs, onResult, onError } = this.#options
    const tool = tools[call.name]
    const onUnshown = (name: string): void => this.#notShown(name)
    const run = new ClaimedRun({ calls: this.#calls, call, ttlMs, onError, onUnshown, ...(onResult && { onResult }) })
    // One that came while stopping is given back.
    const ending = tool && !this.#stopping.signal.aborted ? run.carryOut(tool) : run.release()
    const done = ending.catch(onError).finally(() => this.#running.delete(run))
    this.#running.set(run, done)
  }

  #notShown(tool: string): void {
    if (this.#unshown.has(tool)) return
    this.#unshown.add(tool)
    const why = `Tool "${tool}" reports progress, but its declaration does not say "streaming: true", so its progress is not shown.`
    this.#options.onError(new Error(why))
  }

  async #end(): Promise<void> {
    const { signal } = this.#over
    const over = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    if (!signal.aborted) await Promise.race([Promise.all(this.#running.values()), over])
    // A handler that does not listen to its signal is not waited for; its call is another worker's.
    await Promise.all([...this.#running.keys()].map((run) => run.release().catch(this.#options.onError)))
    this.#over.abort()
  }

  async #oneEnds(): Promise<void> {
    const stopped = new Promise((resolve) => this.#stopping.signal.addEventListener('abort', resolve, { once: true }))
    await Promise.race([...this.#running.values(), stopped])
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, this.#stopping.signal).catch(() => undefined)
  }
}
