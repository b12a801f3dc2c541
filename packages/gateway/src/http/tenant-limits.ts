/**
 * Limits per tenant, across all of its credentials, so that a new key does not raise the limit. Each process limits the
 * rate of requests and bytes. All gateways on one store share a count of bytes per day. Request bytes measure how much
 * the tenant makes us store, response bytes how much it makes us read.
 */
import type { JsonObject } from '@holdpoint/core'
import { find, type DocumentStore } from '../document-store.ts'
import type { Limits } from '../gateway-options.ts'
import { RateLimit } from './rate-limit.ts'

/** One document per tenant and day. */
const USED = 'gateway.bytes'
const DAY_MS = 86_400_000
/** The share of a day's bytes that this process may count before it updates the shared count. */
const UNREPORTED_SHARE = 0.01
const MAX_TENANTS = 10_000

export interface LimitExceeded {
  /** Seconds until a retry may succeed. */
  readonly wait: number
  readonly why: string
}

interface Used {
  readonly day: string
  /** The shared count when this process last read it. */
  known: number
  /** Counted by this process since then. */
  unreported: number
}

export class TenantLimits {
  readonly #documents: DocumentStore
  readonly #limits: Limits
  readonly #now: () => number
  readonly #requests: RateLimit
  readonly #bytes: RateLimit
  readonly #answers: RateLimit
  readonly #used = new Map<string, Used>()

  constructor(documents: DocumentStore, limits: Limits, now: () => number) {
    this.#documents = documents
    this.#limits = limits
    this.#now = now
    this.#requests = new RateLimit(limits.tenantRate, now)
    this.#bytes = new RateLimit(limits.tenantBytes, now)
    this.#answers = new RateLimit(limits.tenantAnswerBytes, now)
  }

  /** Counts one request. Returns the reason when the tenant is over a limit. */
  takeRequest(tenant: string): LimitExceeded | undefined {
    const wait = this.#requests.take(tenant)
    if (wait > 0) return { wait, why: 'The tenant made too many requests, across all of its keys.' }
    const read = this.#answers.wait(tenant)
    return read > 0 ? { wait: read, why: 'The tenant received too many bytes in a short time.' } : undefined
  }

  /** Counts the bytes of a response. The size is known only after the response is built. */
  countResponse(tenant: string, bytes: number): void {
    this.#answers.spend(tenant, bytes)
  }

  /** Counts the bytes of a request. Returns the reason when the tenant is over a limit. */
  async takeBytes(tenant: string, bytes: number): Promise<LimitExceeded | undefined> {
    if (bytes === 0) return undefined
    const most = this.#limits.tenantBytesPerDay
    const used = await this.#usedToday(tenant)
    if (used.known + used.unreported + bytes > most) {
      const left = DAY_MS - (this.#now() % DAY_MS)
      return { wait: Math.ceil(left / 1000), why: `The tenant reached its limit of ${most} bytes per day.` }
    }
    const wait = this.#bytes.take(tenant, bytes)
    if (wait > 0) return { wait, why: 'The tenant sent too many bytes in a short time.' }
    used.unreported += bytes
    if (used.unreported >= most * UNREPORTED_SHARE) await this.#report(tenant, used)
    return undefined
  }

  async usage(tenant: string): Promise<{
    readonly bytesSentToday: { readonly used: number; readonly limit: number }
    readonly requests: { readonly used: number; readonly limit: number }
  }> {
    const { known, unreported } = await this.#usedToday(tenant)
    const { tenantBytesPerDay, tenantRate } = this.#limits
    return {
      bytesSentToday: { used: known + unreported, limit: tenantBytesPerDay },
      requests: { used: this.#requests.used(tenant), limit: tenantRate.burst },
    }
  }

  async #usedToday(tenant: string): Promise<Used> {
    const day = new Date(this.#now()).toISOString().slice(0, 10)
    const cached = this.#used.get(tenant)
    if (cached?.day === day) return cached
    const known = (await this.#read(tenant, day)).bytes
    // A concurrent request may have created it during the read.
    const concurrent = this.#used.get(tenant)
    if (concurrent?.day === day) return concurrent
    if (this.#used.size >= MAX_TENANTS) this.#used.clear()
    const created: Used = { day, known, unreported: 0 }
    this.#used.set(tenant, created)
    return created
  }

  /** Adds the local count to the shared one by compare-and-set, so that concurrent updates are not lost. */
  async #report(tenant: string, used: Used): Promise<void> {
    const mine = used.unreported
    used.known += mine
    used.unreported = 0
    for (let attempt = 0; attempt < 10; attempt++) {
      const { bytes, version } = await this.#read(tenant, used.day)
      const put = await this.#documents.put({
        tenant,
        kind: USED,
        id: used.day,
        data: { bytes: bytes + mine },
        expected: version,
        ttlMs: 2 * DAY_MS,
      })
      if (put.result !== 'ok') continue
      used.known = bytes + mine
      return
    }
  }

  async #read(tenant: string, day: string): Promise<{ readonly bytes: number; readonly version: number }> {
    const doc = await find(this.#documents, tenant, USED, day)
    const bytes = (doc?.data as JsonObject | undefined)?.['bytes']
    return { bytes: typeof bytes === 'number' ? bytes : 0, version: doc?.version ?? 0 }
  }
}
