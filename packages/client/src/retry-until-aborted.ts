/** Sends the result of finished work, and retries temporary failures until the signal is aborted. */
import { isTemporary } from './temporary-failure.ts'
import { randomKey } from './random-key.ts'
import { backoffMs, wait } from './wait.ts'

export async function retryUntilAborted<T>(signal: AbortSignal, give: (key: string) => Promise<T>): Promise<T> {
  const key = randomKey()
  for (let failures = 0; ; failures++) {
    try {
      return await give(key)
    } catch (error) {
      signal.throwIfAborted()
      if (!isTemporary(error)) throw error
      await wait(backoffMs(failures, { base: 1000, most: 30_000 }), signal)
    }
  }
}
