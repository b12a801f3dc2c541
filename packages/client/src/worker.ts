/**
 * Runs external calls: claims waiting calls, renews each claim while the handler runs, and posts the result. Any number of
 * workers share the load. If a worker dies, its claims expire and other workers claim the calls.
 *
 * So a handler may get a call that another worker started. `call.callId` is the same: use it as an idempotency key.
 */
import type { ResolveResult } from '@holdpoint/core'
import type { ClaimBody, ClaimedCall } from '@holdpoint/protocol'
import type { Calls, ClaimLost } from './calls.ts'
import { ClaimedRun } from './claimed-run.ts'
import { isTemporary } from './temporary-failure.ts'
import { randomKey } from './random-key.ts'
import { backoffMs, wait } from './wait.ts'
import type { WorkerTool } from './worker-tool.ts'

export interface WorkerOptions {
  /** Handlers by tool name. A handler returns the result. The message of a thrown error is the failure that the model reads. */
  readonly tools: Readonly<Record<string, WorkerTool>>
  /** The most concurrent calls. Default: 1. */
  readonly concurrency?: number
  /** How long a claim lasts without a renewal. Default: one minute. It is renewed after a third of that. */
  readonly ttlMs?: number
  /** How long a request for work waits, in seconds, up to 30. Default: 10. */
  readonly wait?: number
  /** How long `stop` waits for running handlers. Default: 10 s. */
  readonly graceMs?: number
  /** Called with the verdict on a result. */
  readonly onResult?: (answer: ResolveResult | ClaimLost, call: ClaimedCall) => void
  /** Called with each error: temporary ones, after which the worker continues, and the one that `done` rejects with. */
  readonly onError?: (error: Error) => void
}

export interface Worker {
  /**
   * Resolves when the worker has stopped. Rejects when it cannot continue, for instance with an invalid credential. Without
   * `onError`, a program that ignores `done` ends with an unhandled rejection.
   */
  readonly done: Promise<void>
  /** Claims no more calls, waits for running handlers up to `graceMs`, and gives the other calls back. */
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

/** The pause after a claim that returned nothing without waiting. */
const EMPTY_CLAIM_PAUSE_MS = 1000
/** After this time the gateway has noticed that the connection was closed. */
const DISCONNECT_MS = 50
/** How long `stop` waits for the result of the last claim. */
const LAST_CLAIM_MS = 2000

class WorkerLoop {
  readonly #calls: Calls
  readonly #options: Required<Omit<WorkerOptions, 'onResult'>> & Pick<WorkerOptions, 'onResult'>
  readonly #running = new Map<ClaimedRun, Promise<void>>()
  /** Tools without `streaming`, for which the worker has reported the mistake once. */
  readonly #unshown = new Set<string>()
  readonly #stopping = new AbortController()
  /** Aborted when `graceMs` has passed, or at the end. */
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
          if (!isTemporary(error)) throw error
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
    const askedAt = Date.now()
    const items = await this.#claim({ tools: Object.keys(tools), max: Math.min(free, 100), ttlMs, wait: seconds })
    for (const call of items) this.#take(call)
    if (items.length === 0 && Date.now() - askedAt < Math.min(seconds * 1000, EMPTY_CLAIM_PAUSE_MS))
      await this.#pause(EMPTY_CLAIM_PAUSE_MS)
    if (items.length === 0 && seconds === 0) await this.#pause(EMPTY_CLAIM_PAUSE_MS)
  }

  async #claim(body: ClaimBody): Promise<readonly ClaimedCall[]> {
    const key = randomKey()
    const { signal } = this.#stopping
    try {
      return (await this.#calls.claim(body, { key, signal })).items
    } catch (error) {
      if (!signal.aborted) throw error
      // The request was aborted, but the gateway may have claimed calls for it. The same key returns them, to give them back.
      await wait(DISCONNECT_MS)
      const until = AbortSignal.any([this.#over.signal, AbortSignal.timeout(LAST_CLAIM_MS)])
      return (await this.#calls.claim(body, { key, signal: until })).items
    }
  }

  #take(call: ClaimedCall): void {
    const { tools, ttlMs, onResult, onError } = this.#options
    const tool = tools[call.name]
    const onUnshown = (name: string): void => this.#notShown(name)
    const run = new ClaimedRun({ calls: this.#calls, call, ttlMs, onError, onUnshown, ...(onResult && { onResult }) })
    // A call that was claimed while stopping is given back.
    const ending = tool && !this.#stopping.signal.aborted ? run.run(tool) : run.release()
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
    // Handlers that ignore their signal are abandoned. Their calls are free for other workers.
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
