/**
 * Search: how long one request takes that reads as much as it may, and how long it takes to search the whole store, because
 * nothing in it has the text.
 */
import { agent, holdpoint, openStore, tool, type Model } from 'holdpoint'
import { z } from 'zod'
import { withPlaces } from './storage/places.ts'
import { progress, type Report } from './storage/report.ts'
import type { Settings } from './storage/settings.ts'
import { median } from './storage/statistics.ts'

const AT_ONCE = 50

/** One reply with a call, then one with text. */
const model: Model = {
  id: 'orders',
  async *stream({ prompt }) {
    const usage = { inputTokens: 1, outputTokens: 1 }
    if (prompt.at(-1)?.role === 'user') {
      yield { type: 'call', id: 'look', name: 'look', input: '{"order":"A-1017"}' }
      yield { type: 'finish', reason: 'calls', usage }
      return
    }
    yield { type: 'text', id: 't', delta: 'The order left our warehouse on Tuesday and arrives within two days.' }
    yield { type: 'finish', reason: 'stop', usage }
  },
}
const look = tool({
  name: 'look',
  description: 'Looks an order up.',
  input: z.object({ order: z.string() }),
  run: ({ input }) => ({ ...input, status: 'sent', carrier: 'post' }),
})

export async function search({ store: kind, conversations = 5000, rounds = 9 }: Settings): Promise<Report> {
  return withPlaces(kind, async (places) => {
    const store = await openStore(await places.make('search'))
    const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [look] })] })
    try {
      for (let made = 0; made < conversations; made += AT_ONCE) {
        const some = Array.from({ length: Math.min(AT_ONCE, conversations - made) }, (_, nth) => made + nth)
        await Promise.all(some.map((nth) => runtime.send(`c${nth}`, `Where is order ${nth}? I wait since Monday.`)))
        if (made % 1000 === 0) progress(`${made} of ${conversations} conversations`)
      }
      const took: Record<'page' | 'frequent' | 'whole', number[]> = { page: [], frequent: [], whole: [] }
      let [read, pages] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        took.frequent.push(await timed(() => runtime.search({ text: 'warehouse' })))
        took.page.push(
          await timed(async () => (read = (await runtime.search({ text: 'no such text' })).searched.conversations)),
        )
        const since = performance.now()
        pages = 0
        for (let after: string | undefined; ;) {
          const { next } = await runtime.search({ text: 'no such text', ...(after !== undefined && { after }) })
          pages++
          if (next === undefined) break
          after = next
        }
        took.whole.push(performance.now() - since)
      }
      const [frequentMs, requestMs, wholeMs] = [median(took.frequent), median(took.page), median(took.whole)]
      const figures = {
        store: kind,
        conversations,
        rounds,
        frequentMs,
        requestMs,
        readByRequest: read,
        wholeMs,
        requests: pages,
      }
      return { bench: 'search', limits: [], figures }
    } finally {
      await runtime.close()
      await store.close()
    }
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}
