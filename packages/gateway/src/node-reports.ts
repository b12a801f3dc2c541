/**
 * What each gateway process says about itself, as a document that expires: a process that died disappears from the list. The
 * write of the report is also the measurement of the store.
 */
import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { JsonObject, Store } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'

export interface NodeReport {
  readonly id: string
  readonly startedAt: number
  readonly seenAt: number
  /** Whether it drives conversations, and its lease is valid. */
  readonly drives: boolean
  readonly leased: boolean
  /** Conversations in its memory. */
  readonly active: number
  readonly streams: number
  /** The 99th percentile of the delay of its event loop since its last report, in milliseconds. */
  readonly eventLoopMs: number
  /** How long its last write to the store took. */
  readonly storeMs: number
  readonly memoryBytes: number
}

const TENANT = ''
const NODE = 'gateway.node'
const EVERY_MS = 10_000
const KEEP_MS = 35_000
const MOST = 200

export class NodeReports {
  readonly #id = randomUUID()
  readonly #parts: { readonly runtime: Runtime; readonly store: Store; readonly now: () => number }
  readonly #lag = monitorEventLoopDelay({ resolution: 20 })
  readonly #startedAt: number
  readonly #streams: () => number
  readonly #timer: NodeJS.Timeout
  #storeMs = 0

  constructor(
    parts: { readonly runtime: Runtime; readonly store: Store; readonly now: () => number },
    streams: () => number,
    problem: (error: unknown) => void,
  ) {
    this.#parts = parts
    this.#streams = streams
    this.#startedAt = parts.now()
    this.#lag.enable()
    this.#timer = setInterval(() => void this.report().catch(problem), EVERY_MS)
    this.#timer.unref()
  }

  get id(): string {
    return this.#id
  }

  /** Writes the report of this process. */
  async report(): Promise<void> {
    const { runtime, store, now } = this.#parts
    const { drives, leased, active } = runtime.status()
    const eventLoopMs = this.#lag.percentile(99) / 1e6
    this.#lag.reset()
    const data: JsonObject = {
      id: this.#id,
      startedAt: this.#startedAt,
      seenAt: now(),
      drives,
      leased,
      active,
      streams: this.#streams(),
      eventLoopMs: Number.isFinite(eventLoopMs) ? eventLoopMs : 0,
      storeMs: this.#storeMs,
      memoryBytes: process.memoryUsage.rss(),
    }
    const since = performance.now()
    await store.put({ tenant: TENANT, kind: NODE, id: this.#id, data, ttlMs: KEEP_MS })
    this.#storeMs = performance.now() - since
  }

  /** How long the last write of this process took. */
  get storeMs(): number {
    return this.#storeMs
  }

  async list(): Promise<readonly NodeReport[]> {
    const { items } = await this.#parts.store.documents({ tenant: TENANT, kind: NODE, limit: MOST })
    return items.map(({ data }) => data as unknown as NodeReport)
  }

  /** Removes the report: the process ends in order. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#lag.disable()
    await this.#parts.store.put({ tenant: TENANT, kind: NODE, id: this.#id, data: undefined })
  }
}
