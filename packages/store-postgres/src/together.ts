/**
 * Questions that many ask one by one, put to the server together. One is under way at a time, and whoever asks meanwhile
 * goes with the next: the busier it is, the fewer round trips there are for each. Nobody waits long for an answer that
 * does not come: after a moment the next question goes beside it.
 */

/** So that what comes back fits into memory, whatever it is. */
const MOST = 20
const PATIENCE_MS = 20

export function together<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: { readonly item: Item; readonly asked: PromiseWithResolvers<Answer> }[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | undefined

  const run = async (): Promise<void> => {
    underWay++
    // What is asked in the same breath goes together.
    await Promise.resolve()
    clearTimeout(timer)
    const batch = waiting.slice(0, MOST)
    waiting = waiting.slice(MOST)
    timer = waiting.length > 0 ? setTimeout(() => void run(), PATIENCE_MS) : undefined
    try {
      const answers = await ask(batch.map(({ item }) => item))
      for (const [index, { asked }] of batch.entries()) asked.resolve(answers[index]!)
    } catch (error) {
      for (const { asked } of batch) asked.reject(error)
    }
    underWay--
    if (waiting.length > 0 && underWay === 0) void run()
  }
  return (item) => {
    const asked = Promise.withResolvers<Answer>()
    waiting.push({ item, asked })
    if (underWay === 0) void run()
    else timer ??= setTimeout(() => void run(), PATIENCE_MS)
    return asked.promise
  }
}
