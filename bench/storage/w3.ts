/**
 * W3: turns with a round of 20 calls, each turn in a new conversation: a message, a reply with 20 calls that run at once,
 * their results, the model's text. Handwritten SQL needs two transactions with 21 rows each.
 */
import { calmly, type Calm } from './calm.ts'
import { Contest, perSide, placesFor, ratiosOf, removeAll, type PerSide } from './contest.ts'
import { withPlaces } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, mean, median } from './statistics.ts'

const CALLS = 20
const CHUNK = 5
/**
 * Until about this turn, turns become faster, because the engine still compiles our code. A server runs warm, so only later
 * turns count. On PostgreSQL as many turns would take minutes, and the result there is far from its limit.
 */
const WARM_UP = { sqlite: 12_000, postgres: 3000 } as const
/** The first turns of a process, reported separately. */
const FRESH = 100

export async function w3(settings: Settings): Promise<Report> {
  const { store, turns = 200, rounds: count = 5 } = settings
  const players = playersOf(settings, { calls: CALLS, approval: false })
  const { fresh, rounds } = await withPlaces(store, (places) =>
    Contest.run(players, async (contest) => {
      const where = await placesFor(places)
      await contest.open(where)
      progress('warming up')
      let from = Math.min(WARM_UP[store], 60 * turns)
      const warmUp = await play(contest, 0, from)
      const played: Calm<readonly PerSide<number>[]>[] = []
      for (let nth = 1; nth <= count; nth++) {
        const round = await calmly(() => play(contest, (from += turns), turns))
        const { rows, one } = ratiosOf(round.value, median)
        progress(`round ${nth} of ${count}: ${rows.toFixed(2)} and ${one.toFixed(2)} times as long as handwritten SQL`)
        played.push(round)
      }
      await contest.close()
      await removeAll(places, where)
      return { fresh: warmUp.slice(0, FRESH / CHUNK), rounds: played }
    }),
  )
  const all = rounds.flatMap(({ value }) => value)
  const ratio = ratiosOf(all, median)
  return {
    bench: 'w3',
    ratio,
    limits: [{ what: 'time of a turn over raw', value: ratio.rows, most: 2 }],
    figures: {
      store,
      calls: CALLS,
      turns,
      rounds: count,
      ratioFresh: { ...ratiosOf(fresh, median) },
      microsPerTurn: perSide((side) => median(all.map((each) => each[side]))),
      microsPerTurnFresh: perSide((side) => median(fresh.map((each) => each[side]))),
      ratioByRound: rounds.map(({ value }) => ratiosOf(value, median).rows),
      stolenByRound: rounds.map(({ stolen }) => stolen),
      triesByRound: rounds.map(({ tries }) => tries),
    },
  }
}

/** Returns the time of a turn on each side, a few turns at a time: adjacent runs are compared, as in W1. */
async function play(contest: Contest, first: number, turns: number): Promise<readonly PerSide<number>[]> {
  const played: PerSide<number>[] = []
  for (const [nth, count] of chunks(turns, CHUNK).entries()) {
    const took = await contest.all({ do: 'fresh', from: first + nth * CHUNK, count })
    played.push(perSide((side) => mean(took[side])))
  }
  return played
}
