/** W4: 50 conversations at once, 20 turns each, with turns as in W1. Measures turns per second. */
import { Contest, perSide, placesFor, ratiosOf, removeAll, type PerSide } from './contest.ts'
import { withPlaces } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { median } from './statistics.ts'

/** The rounds until turns no longer become faster. A server runs warm, so only later rounds count. */
const WARM_UP = 12

export async function w4(settings: Settings): Promise<Report> {
  const { store, conversations = 50, turns = 20, rounds: count = 7 } = settings
  const warmUp = Math.min(WARM_UP, 2 * count)
  const players = playersOf(settings, { calls: 1, approval: false }, { connections: conversations })
  const all = await withPlaces(store, (places) =>
    Contest.run(players, async (contest) => {
      const where = await placesFor(places)
      await contest.open(where)
      const played: PerSide<number>[] = []
      for (let nth = 0; nth < warmUp + count; nth++) {
        const took = await contest.all({ do: 'crowd', from: nth * conversations, conversations, turns })
        const perSecond = perSide((side) => (conversations * turns * 1e6) / (took[side][0] ?? 0))
        const { ours, rows, one } = perSecond
        const which = nth < warmUp ? 'warming up' : `round ${nth - warmUp + 1} of ${count}`
        progress(`${which}: ${ours.toFixed(0)} turns/s, by hand ${rows.toFixed(0)} and ${one.toFixed(0)}`)
        played.push(perSecond)
      }
      await contest.close()
      await removeAll(places, where)
      return played
    }),
  )
  const rounds = all.slice(warmUp)
  const fresh = all.slice(0, 1)
  const ratio = ratiosOf(rounds, median)
  return {
    bench: 'w4',
    ratio,
    limits: [{ what: 'turns per second over raw', value: ratio.rows, least: store === 'sqlite' ? 2 : 0.5 }],
    figures: {
      store,
      conversations,
      turns,
      rounds: count,
      ratioFresh: { ...ratiosOf(fresh, median) },
      turnsPerSecond: perSide((side) => median(rounds.map((each) => each[side]))),
      turnsPerSecondFresh: perSide((side) => median(fresh.map((each) => each[side]))),
      ratioByRound: rounds.map(({ ours, rows }) => ours / rows),
    },
  }
}
