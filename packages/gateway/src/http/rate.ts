/** How often one credential may ask: a bucket that fills at a steady pace, so that a burst is fine and a flood is not. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
}

const MOST_BUCKETS = 10_000

export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  /** The one asked least recently is first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** 0 when it may go on, otherwise in how many seconds. */
  take(who: string): number {
    const { perSecond, burst } = this.#rate
    const now = this.#now()
    const bucket = this.#buckets.get(who) ?? { tokens: burst, at: now }
    this.#buckets.delete(who)
    this.#buckets.set(who, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    this.#forget()
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond))
    bucket.tokens--
    return 0
  }

  #forget(): void {
    if (this.#buckets.size <= MOST_BUCKETS) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
