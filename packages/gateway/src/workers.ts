/**
 * Which workers were seen recently, by credential and tools. For the list of workers, and to decide whether waiting for
 * a call makes sense.
 */
import { createHash } from 'node:crypto'
import type { JsonObject, Page } from '@holdpoint/core'
import type { WorkerRow } from '@holdpoint/protocol'
import type { Caller } from './auth/caller.ts'
import { list, type DocumentStore } from './document-store.ts'

const WORKER = 'gateway.worker'
/** How long a worker stays listed after it was last seen. */
const KEEP_MS = 3_600_000
/** The shortest interval between two writes for one worker. */
const WRITE_EVERY_MS = 5000
const MAX_CACHED = 10_000
/** A worker that waits for work is seen more often than this. */
const RECENT_MS = 60_000
const PAGE = 200

export class Workers {
  readonly #documents: DocumentStore
  readonly #now: () => number
  readonly #seen = new Map<string, { readonly since: number; readonly at: number }>()

  constructor(documents: DocumentStore, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  /** A lost write is harmless: the next claim writes again. */
  async seen({ tenant, id: credential, by }: Caller, tools: readonly string[]): Promise<void> {
    const sorted = [...new Set(tools)].toSorted()
    const id = createHash('sha256')
      .update(JSON.stringify([credential, sorted]))
      .digest('hex')
      .slice(0, 16)
    const key = JSON.stringify([tenant, id])
    const at = this.#now()
    const known = this.#seen.get(key)
    if (known && at - known.at < WRITE_EVERY_MS) return
    if (this.#seen.size >= MAX_CACHED) this.#seen.clear()
    const since = known?.since ?? at
    this.#seen.set(key, { since, at })
    const row: WorkerRow = { id, by, tools: sorted, since, seenAt: at }
    const data: JsonObject = { ...row, tools: sorted }
    await this.#documents.put({ tenant, kind: WORKER, id, data, ttlMs: KEEP_MS })
  }

  /** Whether a worker for this tool was seen recently. */
  async hasWorkerFor(tenant: string, tool: string): Promise<boolean> {
    const since = this.#now() - RECENT_MS
    let after: string | undefined
    do {
      const { items, next } = await this.list(tenant, after, PAGE)
      if (items.some(({ tools, seenAt }) => seenAt >= since && tools.includes(tool))) return true
      after = next
    } while (after !== undefined)
    return false
  }

  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<WorkerRow>> {
    const query = { tenant, kind: WORKER, limit, ...(after !== undefined && { after }) }
    const { items, next } = await list(this.#documents, query)
    return { items: items.map(({ data }) => data as unknown as WorkerRow), next }
  }
}
