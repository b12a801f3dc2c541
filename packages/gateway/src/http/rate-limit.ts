/** A token bucket, for requests or bytes: it allows short bursts and limits the sustained rate. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
}

const MAX_BUCKETS = 10_000

export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  /** The least recently used is first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** Seconds until the bucket has something left; 0 when it has. Takes nothing. */
  wait(key: string): number {
    const bucket = this.#buckets.get(key)
    return bucket ? this.#short(this.#filled(bucket), 1) : 0
  }

  /** How much of the burst is used. */
  used(key: string): number {
    const bucket = this.#buckets.get(key)
    return bucket ? Math.ceil(this.#rate.burst - this.#filled(bucket)) : 0
  }

  /** Takes the amount and returns 0, or returns the seconds to wait. */
  take(key: string, amount = 1): number {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: this.#rate.burst, at: now }
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    bucket.tokens = this.#filled(bucket)
    bucket.at = now
    this.#forget()
    const short = this.#short(bucket.tokens, amount)
    if (short === 0) bucket.tokens -= amount
    return short
  }

  /** Subtracts an amount that was already used. The bucket may go below zero. */
  spend(key: string, amount: number): void {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: this.#rate.burst, at: now }
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: this.#filled(bucket) - amount, at: now })
    this.#forget()
  }

  #filled({ tokens, at }: Bucket): number {
    const { perSecond, burst } = this.#rate
    return Math.min(burst, tokens + (Math.max(0, this.#now() - at) / 1000) * perSecond)
  }

  /** An amount larger than the bucket waits for a full one. */
  #short(tokens: number, amount: number): number {
    const needed = Math.min(amount, this.#rate.burst)
    return tokens < needed ? Math.max(1, Math.ceil((needed - tokens) / this.#rate.perSecond)) : 0
  }

  #forget(): void {
    if (this.#buckets.size <= MAX_BUCKETS) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
