/** Which workers were heard of lately: by their credential and what they carry out. Nothing hangs on it but a screen. */
import { createHash } from 'node:crypto'
import type { JsonObject, Page } from '@holdpoint/core'
import type { WorkerRow } from '@holdpoint/protocol'
import type { Principal } from './auth/principal.ts'
import { list, type Documents } from './documents.ts'

const WORKER = 'gateway.worker'
/** How long one is remembered that is heard of no more. */
const KEEP_MS = 3_600_000
/** Not written down more often than this. */
const SELDOM_MS = 5000
const MOST = 10_000

export class Workers {
  readonly #documents: Documents
  readonly #now: () => number
  readonly #seen = new Map<string, { readonly since: number; readonly at: number }>()

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  /** May be lost: it is said again with the next claim. */
  async seen({ tenant, id: credential, by }: Principal, tools: readonly string[]): Promise<void> {
    const sorted = [...new Set(tools)].toSorted()
    const id = createHash('sha256')
      .update(JSON.stringify([credential, sorted]))
      .digest('hex')
      .slice(0, 16)
    const key = JSON.stringify([tenant, id])
    const at = this.#now()
    const known = this.#seen.get(key)
    if (known && at - known.at < SELDOM_MS) return
    if (this.#seen.size >= MOST) this.#seen.clear()
    const since = known?.since ?? at
    this.#seen.set(key, { since, at })
    const row: WorkerRow = { id, by, tools: sorted, since, seenAt: at }
    const data: JsonObject = { ...row, tools: sorted }
    await this.#documents.put({ tenant, kind: WORKER, id, data, ttlMs: KEEP_MS })
  }

  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<WorkerRow>> {
    const query = { tenant, kind: WORKER, limit, ...(after !== undefined && { after }) }
    const { items, next } = await list(this.#documents, query)
    return { items: items.map(({ data }) => data as unknown as WorkerRow), next }
  }
}
