/** An answer that somebody worked for is given as long as it is wanted, through any trouble on the way. */
import { passes } from './passing.ts'
import { randomKey } from './random-key.ts'
import { backoffMs, wait } from './wait.ts'

export async function answerWithin<T>(signal: AbortSignal, give: (key: string) => Promise<T>): Promise<T> {
  const key = randomKey()
  for (let failures = 0; ; failures++) {
    try {
      return await give(key)
    } catch (error) {
      signal.throwIfAborted()
      if (!passes(error)) throw error
      await wait(backoffMs(failures, { base: 1000, most: 30_000 }), signal)
    }
  }
}
