/**
 * A cache of objects that components share, by name. An object stays while a component uses it, and the newest unused ones
 * stay for components that mount again. An object counts as used only once its component is mounted. So nothing is evicted
 * while React renders.
 */
interface Subscribable {
  subscribe(listener: () => void): () => void
}

export interface Shared<T extends Subscribable> {
  readonly item: T
  readonly subscribe: (listener: () => void) => () => void
}

/** The most unused objects that are kept. */
const MOST = 30

export class SharedObjects<T extends Subscribable> {
  readonly #all = new Map<string, Shared<T>>()
  readonly #unused = new Set<string>()

  get(name: string, make: () => T): Shared<T> {
    const known = this.#all.get(name)
    if (known) return known
    const item = make()
    let users = 0
    const shared: Shared<T> = {
      item,
      subscribe: (listener) => {
        const leave = item.subscribe(listener)
        users++
        this.#unused.delete(name)
        if (!this.#all.has(name)) this.#all.set(name, shared)
        return () => {
          leave()
          if (--users === 0 && this.#all.get(name) === shared) this.#markUnused(name)
        }
      },
    }
    this.#all.set(name, shared)
    return shared
  }

  get items(): readonly T[] {
    return Array.from(this.#all.values(), ({ item }) => item)
  }

  #markUnused(name: string): void {
    this.#unused.add(name)
    const [oldest] = this.#unused
    if (this.#unused.size <= MOST || oldest === undefined) return
    this.#unused.delete(oldest)
    this.#all.delete(oldest)
  }
}
