/**
 * A seeded random generator. Each part of a simulation draws from its own stream, so that an additional draw in one part
 * changes nothing in the others.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** An independent stream, identified by its name. */
  fork(name: string): Random {
    return new Random(hashText(name, this.#state ^ 0x9e3779b9))
  }

  /** In [0, 1). mulberry32: small, seeded, random enough for a simulation. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return (entries.at(-1) as [K, number])[0]
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items]
    return items.map(() => left.splice(this.below(left.length), 1)[0] as T)
  }

  /** Text that looks like an id. */
  id(): string {
    const half = (): string => this.below(0x1_0000_0000).toString(16).padStart(8, '0')
    return half() + half()
  }
}

/** FNV-1a, 32 bits. */
export function hashText(text: string, from: number = 0x811c9dc5): number {
  let hash = from
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}
