/**
 * Which worker is at which call. A claim is a document with a life of its own: whoever made it must be heard of in time,
 * or it is gone and the call is free again. The outcome of a call never hangs on a claim: that is decided by the log.
 */
import { randomBytes } from 'node:crypto'
import type { Json, JsonObject, PendingRow, Store } from '@holdpoint/core'
import { create, find, remove } from './documents.ts'

export interface Claim {
  readonly callId: string
  readonly conversationId: string
  /** Known to its worker alone. */
  readonly secret: string
  readonly until: number
  /** What its worker last said of it. */
  readonly progress?: Json
}

export type Held =
  | { readonly ok: true; readonly claim: Claim; readonly version: number }
  | { readonly ok: false; readonly why: string }

const CLAIM = 'gateway.claim'
const PAGE = 200

export class Claims {
  readonly #store: Store
  readonly #now: () => number

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** The oldest calls of these tools that nobody is at. */
  async take(
    tenant: string,
    tools: readonly string[],
    { max, ttlMs }: { readonly max: number; readonly ttlMs: number },
  ): Promise<{ readonly row: PendingRow; readonly claim: Claim }[]> {
    const taken: { row: PendingRow; claim: Claim }[] = []
    for (const tool of new Set(tools)) {
      for await (const row of this.#waiting(tenant, tool)) {
        if (taken.length >= max) return taken
        const claim = await this.#claim(tenant, row, ttlMs)
        if (claim) taken.push({ row, claim })
      }
    }
    return taken
  }

  /** The claim, if it is still whose it says. */
  async held(tenant: string, callId: string, secret: string): Promise<Held> {
    const doc = await find(this.#store, tenant, CLAIM, callId)
    if (!doc) return { ok: false, why: `Nobody claims call ${callId} any more: the claim ran out.` }
    const claim = doc.data as unknown as Claim
    if (claim.secret !== secret) return { ok: false, why: `Another worker is at call ${callId} now.` }
    return { ok: true, claim, version: doc.version }
  }

  /** Undefined when it was lost meanwhile. */
  async extend(
    tenant: string,
    { claim, version }: Extract<Held, { ok: true }>,
    ttlMs: number,
    progress: Json | undefined,
  ): Promise<Claim | undefined> {
    const longer = { ...claim, until: this.#now() + ttlMs, ...(progress !== undefined && { progress }) }
    const put = { tenant, kind: CLAIM, id: claim.callId, expected: version, data: { ...longer }, ttlMs }
    return (await this.#store.put(put)).result === 'ok' ? longer : undefined
  }

  async release(tenant: string, callId: string, version: number): Promise<void> {
    await remove(this.#store, { tenant, kind: CLAIM, id: callId, expected: version })
  }

  /** What the worker that is at a call last said of it. */
  async progressOf(tenant: string, callId: string): Promise<Json | undefined> {
    const doc = await find(this.#store, tenant, CLAIM, callId)
    return doc && (doc.data as unknown as Claim).progress
  }

  /** Where a call is, as far as a claim knows. */
  async placeOf(tenant: string, callId: string): Promise<string | undefined> {
    const doc = await find(this.#store, tenant, CLAIM, callId)
    return doc && (doc.data as unknown as Claim).conversationId
  }

  async *#waiting(tenant: string, tool: string): AsyncGenerator<PendingRow> {
    let after: string | undefined
    do {
      const query = { tenant, tool, kind: 'external', limit: PAGE, ...(after !== undefined && { after }) } as const
      const { items, next } = await this.#store.pending(query)
      yield* items
      after = next
    } while (after !== undefined)
  }

  async #claim(tenant: string, { callId, conversationId }: PendingRow, ttlMs: number): Promise<Claim | undefined> {
    if (await find(this.#store, tenant, CLAIM, callId)) return undefined
    const secret = randomBytes(16).toString('base64url')
    const claim: Claim = { callId, conversationId, secret, until: this.#now() + ttlMs }
    const data: JsonObject = { ...claim }
    const put = await create(this.#store, { tenant, kind: CLAIM, id: callId, data, ttlMs })
    return put.result === 'ok' ? claim : undefined
  }
}
