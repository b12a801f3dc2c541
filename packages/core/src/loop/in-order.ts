/** Does work one piece after the other, in the order in which it was given. */
export class InOrder {
  /** Settles when what was given last is done. Rejected as soon as that, or something before it, failed. */
  #last: Promise<void> | undefined

  /** After a failure those that wait begin at once: a store that is away would keep each of them for a while. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(() => {}) // the one whose work failed is told
    this.#last = promise
    if (before) await before.catch(reject)
    try {
      const done = await work()
      resolve()
      return done
    } catch (error) {
      reject(error)
      throw error
    } finally {
      if (this.#last === promise) this.#last = undefined
    }
  }
}
