/** Runs tasks one after the other, in the order in which they were added. */
export class SerialQueue {
  /** Settles when the newest task is done. Rejects as soon as it, or a task before it, fails. */
  #last: Promise<void> | undefined

  /** Whether a task is running or waits. */
  get busy(): boolean {
    return this.#last !== undefined
  }

  /** After a failure, all waiting tasks start at once: with a store that is away, each of them would take long to fail. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(() => {}) // the caller of the failed task gets the error
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
