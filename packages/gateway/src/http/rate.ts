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

  /** 0 when there is something left, otherwise in how many seconds. Nothing is taken. */
  wait(who: string): number {
    const bucket = this.#buckets.get(who)
    return bucket ? this.#short(this.#filled(bucket)) : 0
  }

  /** 0 when it may go on, otherwise in how many seconds. */
  take(who: string): number {
    const now = this.#now()
    const bucket = this.#buckets.get(who) ?? { tokens: this.#rate.burst, at: now }
    this.#buckets.delete(who)
    this.#buckets.set(who, bucket)
    bucket.tokens = this.#filled(bucket)
    bucket.at = now
    this.#forget()
    const short = this.#short(bucket.tokens)
    if (short === 0) bucket.tokens--
    return short
  }

  #filled({ tokens, at }: Bucket): number {
    const { perSecond, burst } = this.#rate
    return Math.min(burst, tokens + (Math.max(0, this.#now() - at) / 1000) * perSecond)
  }

  #short(tokens: number): number {
    return tokens < 1 ? Math.max(1, Math.ceil((1 - tokens) / this.#rate.perSecond)) : 0
  }

  #forget(): void {
    if (this.#buckets.size <= MOST_BUCKETS) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
