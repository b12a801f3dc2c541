/**
 * Which worker has claimed which call. A claim is a document with an expiry: a worker must renew it in time, or another
 * worker can claim the call. A claim never decides the outcome of a call; the log does.
 */
import { randomBytes } from 'node:crypto'
import type { Json, JsonObject, PendingRow, Store } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import { create, find, remove } from './document-store.ts'

export interface Claim {
  readonly callId: string
  readonly conversationId: string
  /** Which hold of the call it is for, from 1: a later hold may be for a person. Claims of older versions lack it. */
  readonly hold?: number
  /** Known only to the worker. */
  readonly secret: string
  readonly until: number
  /** The tool of the call reports progress. */
  readonly streaming?: true
  /** The last progress report of the worker. */
  readonly progress?: Json
}

export interface ClaimedHold {
  readonly hold: PendingHold
  readonly claim: Claim
}

export type ClaimCheck =
  | { readonly ok: true; readonly claim: Claim; readonly version: number }
  | { readonly ok: false; readonly why: string }

const CLAIM = 'gateway.claim'
const PAGE = 200

export class CallClaims {
  readonly #store: Store
  readonly #now: () => number

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Claims the oldest calls of these tools that no worker has claimed. */
  async take(
    tenant: string,
    tools: readonly string[],
    {
      max,
      ttlMs,
      holdOf,
    }: {
      readonly max: number
      readonly ttlMs: number
      /** The hold that is open now: the row may be out of date. */
      readonly holdOf: (row: PendingRow) => Promise<PendingHold | undefined>
    },
  ): Promise<readonly ClaimedHold[]> {
    const claimed: ClaimedHold[] = []
    for (const tool of new Set(tools)) {
      for await (const row of this.#waiting(tenant, tool)) {
        if (claimed.length >= max) return claimed
        if (await find(this.#store, tenant, CLAIM, row.callId)) continue
        const hold = await holdOf(row)
        if (hold?.kind !== 'external') continue
        const claim = await this.#claim(tenant, hold, ttlMs)
        if (claim) claimed.push({ hold, claim })
      }
    }
    return claimed
  }

  /** Returns the claim if this worker still holds it. */
  async check(tenant: string, callId: string, secret: string): Promise<ClaimCheck> {
    const doc = await find(this.#store, tenant, CLAIM, callId)
    if (!doc) return { ok: false, why: `The claim on call ${callId} has expired.` }
    const claim = doc.data as unknown as Claim
    if (claim.secret !== secret) return { ok: false, why: `Another worker has claimed call ${callId}.` }
    return { ok: true, claim, version: doc.version }
  }

  /** Returns undefined when the claim was lost in the meantime. */
  async extend(
    tenant: string,
    { claim, version }: Extract<ClaimCheck, { ok: true }>,
    ttlMs: number,
    progress: Json | undefined,
  ): Promise<Claim | undefined> {
    const extended = { ...claim, until: this.#now() + ttlMs, ...(progress !== undefined && { progress }) }
    const put = { tenant, kind: CLAIM, id: claim.callId, expected: version, data: { ...extended }, ttlMs }
    return (await this.#store.put(put)).result === 'ok' ? extended : undefined
  }

  async release(tenant: string, callId: string, version: number): Promise<void> {
    await remove(this.#store, { tenant, kind: CLAIM, id: callId, expected: version })
  }

  /** Removes the claim on a call that is erased, whatever its version. */
  async forget(tenant: string, callId: string): Promise<void> {
    await this.#store.put({ tenant, kind: CLAIM, id: callId, data: undefined })
  }

  async isClaimed(tenant: string, callId: string): Promise<boolean> {
    return (await find(this.#store, tenant, CLAIM, callId)) !== undefined
  }

  /** The last progress report of the worker that has claimed the call. */
  async progressOf(tenant: string, callId: string): Promise<Json | undefined> {
    const doc = await find(this.#store, tenant, CLAIM, callId)
    return doc && (doc.data as unknown as Claim).progress
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

  async #claim(tenant: string, hold: PendingHold, ttlMs: number): Promise<Claim | undefined> {
    const { callId, conversationId, nth, streaming } = hold
    const secret = randomBytes(16).toString('base64url')
    const until = this.#now() + ttlMs
    const claim: Claim = { callId, conversationId, hold: nth, secret, until, ...(streaming && { streaming }) }
    const data: JsonObject = { ...claim }
    const put = await create(this.#store, { tenant, kind: CLAIM, id: callId, data, ttlMs })
    return put.result === 'ok' ? claim : undefined
  }
}
