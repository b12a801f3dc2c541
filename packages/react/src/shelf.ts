/**
 * What components share, by name: the same thing under the same name for as long as a component uses it, and for a while
 * longer, for a component that mounts again. Nothing is put away while a screen is being drawn: what is drawn for the first time is
 * not in use yet.
 */
interface Subscribable {
  subscribe(listener: () => void): () => void
}

export interface Shelved<T extends Subscribable> {
  readonly item: T
  readonly subscribe: (listener: () => void) => () => void
}

/** Unused things are kept up to so many. */
const MOST = 30

export class Shelf<T extends Subscribable> {
  readonly #all = new Map<string, Shelved<T>>()
  readonly #unused = new Set<string>()

  get(name: string, make: () => T): Shelved<T> {
    const known = this.#all.get(name)
    if (known) return known
    const item = make()
    let users = 0
    const shelved: Shelved<T> = {
      item,
      subscribe: (listener) => {
        const leave = item.subscribe(listener)
        users++
        this.#unused.delete(name)
        if (!this.#all.has(name)) this.#all.set(name, shelved)
        return () => {
          leave()
          if (--users === 0 && this.#all.get(name) === shelved) this.#putAway(name)
        }
      },
    }
    this.#all.set(name, shelved)
    return shelved
  }

  get items(): readonly T[] {
    return Array.from(this.#all.values(), ({ item }) => item)
  }

  #putAway(name: string): void {
    this.#unused.add(name)
    const [oldest] = this.#unused
    if (this.#unused.size <= MOST || oldest === undefined) return
    this.#unused.delete(oldest)
    this.#all.delete(oldest)
  }
}
