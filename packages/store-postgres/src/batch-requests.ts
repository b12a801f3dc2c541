/**
 * Combines single requests into batches. One batch is in flight at a time, and requests that arrive meanwhile go into the
 * next one: under load, more requests share a round trip. If a batch takes long, the next one is sent after a short wait.
 */

/** Limits the size of the answer in memory. */
const MAX_BATCH = 20
const MAX_WAIT_MS = 20

export function batchRequests<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: { readonly item: Item; readonly asked: PromiseWithResolvers<Answer> }[] = []
  let inFlight = 0
  let timer: NodeJS.Timeout | undefined

  const run = async (): Promise<void> => {
    inFlight++
    // Requests of the same tick share a batch.
    await Promise.resolve()
    clearTimeout(timer)
    const batch = waiting.slice(0, MAX_BATCH)
    waiting = waiting.slice(MAX_BATCH)
    timer = waiting.length > 0 ? setTimeout(() => void run(), MAX_WAIT_MS) : undefined
    try {
      const answers = await ask(batch.map(({ item }) => item))
      for (const [index, { asked }] of batch.entries()) asked.resolve(answers[index]!)
    } catch (error) {
      for (const { asked } of batch) asked.reject(error)
    }
    inFlight--
    if (waiting.length > 0 && inFlight === 0) void run()
  }
  return (item) => {
    const asked = Promise.withResolvers<Answer>()
    waiting.push({ item, asked })
    if (inFlight === 0) void run()
    else timer ??= setTimeout(() => void run(), MAX_WAIT_MS)
    return asked.promise
  }
}
