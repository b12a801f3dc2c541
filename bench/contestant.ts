/**
 * Runs one side of a benchmark in its own process, so that garbage collection and background work of one side do not slow
 * down the other. `storage/contestants.ts` starts it, sends requests and receives numbers.
 */
import { ours } from './storage/ours.ts'
import { rawPostgres } from './storage/raw-postgres.ts'
import { rawSqlite } from './storage/raw-sqlite.ts'
import { raw } from './storage/raw.ts'
import type { Answer, Player, Request } from './storage/requests.ts'
import { timed, type Side } from './storage/side.ts'

let side: Side | undefined

async function answer(request: Request): Promise<readonly number[]> {
  if (request.do === 'open') {
    const { place, player } = request
    const took = await timed(async () => {
      side = await open(place, player)
    })
    return [took]
  }
  if (request.do === 'memory') return memory()
  if (!side) throw new Error('Nothing is open.')
  switch (request.do) {
    case 'turns':
      return side.turns(request.conversation, request.count)
    case 'fresh':
      return side.fresh(request.from, request.count)
    case 'crowd':
      return side.crowd(request.from, request.conversations, request.turns)
    case 'hold':
      return side.hold(request.from, request.count, request.inFlight)
    case 'find':
      return side.find()
    case 'resolve':
      return side.resolve(request.count, request.inFlight)
    case 'pending':
      return side.pending(request.times)
    case 'close':
      await side.close()
      side = undefined
      return []
  }
}

async function open(place: string, player: Player): Promise<Side> {
  if (player.side === 'ours') return ours(place, player.agent)
  const { store, calls, connections, style, held } = player
  const by = store === 'sqlite' ? rawSqlite(place, style) : await rawPostgres(place, connections, style)
  return raw(by, calls, held)
}

async function memory(): Promise<readonly number[]> {
  if (!globalThis.gc) throw new Error('Memory is measured with --expose-gc.')
  for (let times = 0; times < 3; times++) {
    await new Promise((resolve) => setImmediate(resolve))
    globalThis.gc()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return [heapUsed + external, rss]
}

process.on('message', (request: Request) => {
  const reply = (given: Answer): boolean | undefined => process.send?.(given)
  answer(request).then(
    (numbers) => reply({ numbers }),
    (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
