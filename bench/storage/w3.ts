/**
 * W3: a round of 20 calls, each in a new conversation: the user, a reply with 20 calls that run at once, their results,
 * the model's text. By hand that is two transactions with 21 rows each.
 */
import { calmly, type Calm } from './calm.ts'
import { Contest, pairOf, placesFor, removeAll, type Pair } from './contest.ts'
import { withPlaces } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, mean, median } from './statistics.ts'

const CALLS = 20
const CHUNK = 5
/**
 * Until about then a turn takes less and less time, in both threads of ours. What comes after is what a server is like. On
 * PostgreSQL that would take minutes by hand, and nothing is as close there.
 */
const WARM_UP = { sqlite: 12_000, postgres: 3000 } as const
/** So many of the first show what a process is like that has just been started. */
const COLD = 100

export async function w3(settings: Settings): Promise<Report> {
  const { store, turns = 200, rounds: count = 5 } = settings
  const players = playersOf(settings, { calls: CALLS, approval: false })
  const { cold, rounds } = await withPlaces(store, (places) =>
    Contest.run(players, async (contest) => {
      const where = await placesFor(places)
      await contest.open(where)
      progress('warming up')
      let from = Math.min(WARM_UP[store], 60 * turns)
      const warmUp = await play(contest, 0, from)
      const played: Calm<readonly Pair<number>[]>[] = []
      for (let nth = 1; nth <= count; nth++) {
        const round = await calmly(() => play(contest, (from += turns), turns))
        progress(`round ${nth} of ${count}: ${ratioOf(round.value).toFixed(2)} times as long as by hand`)
        played.push(round)
      }
      await contest.close()
      await removeAll(places, where)
      return { cold: warmUp.slice(0, COLD / CHUNK), rounds: played }
    }),
  )
  const all = rounds.flatMap(({ value }) => value)
  const ratio = ratioOf(all)
  return {
    bench: 'w3',
    ratio,
    limits: [{ what: 'time of a turn over raw', value: ratio, most: 2 }],
    figures: {
      store,
      calls: CALLS,
      turns,
      rounds: count,
      microsPerTurn: { ours: median(all.map(({ ours }) => ours)), raw: median(all.map(({ raw }) => raw)) },
      ratioByRound: rounds.map(({ value }) => ratioOf(value)),
      stolenByRound: rounds.map(({ stolen }) => stolen),
      triesByRound: rounds.map(({ tries }) => tries),
      ratioCold: ratioOf(cold),
    },
  }
}

/** What a turn took on both sides, a few at a time: adjacent runs are compared, as in W1. */
async function play(contest: Contest, first: number, turns: number): Promise<readonly Pair<number>[]> {
  const played: Pair<number>[] = []
  for (const [nth, count] of chunks(turns, CHUNK).entries())
    played.push(pairOf(await contest.both({ do: 'fresh', from: first + nth * CHUNK, count }), mean))
  return played
}

function ratioOf(pairs: readonly Pair<number>[]): number {
  return median(pairs.map(({ ours, raw }) => ours / raw))
}
