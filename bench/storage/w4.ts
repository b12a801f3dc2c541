/** W4: 50 conversations at once, 20 turns each, of the same kind as in W1. How many turns a second is that, all together? */
import { Contest, pairOf, placesFor, removeAll, type Pair } from './contest.ts'
import { withPlaces } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { median } from './statistics.ts'

/** So many rounds until a turn no longer takes less and less time: what comes after is what a server is like. */
const WARM_UP = 12

export async function w4(settings: Settings): Promise<Report> {
  const { store, conversations = 50, turns = 20, rounds: count = 7 } = settings
  const warmUp = Math.min(WARM_UP, 2 * count)
  const players = playersOf(settings, { calls: 1, approval: false }, { connections: conversations })
  const all = await withPlaces(store, (places) =>
    Contest.run(players, async (contest) => {
      const where = await placesFor(places)
      await contest.open(where)
      const played: Pair<number>[] = []
      for (let nth = 0; nth < warmUp + count; nth++) {
        const took = await contest.both({ do: 'crowd', from: nth * conversations, conversations, turns })
        const perSecond = pairOf(took, ([micros = 0]) => (conversations * turns * 1e6) / micros)
        const { ours, raw } = perSecond
        const which = nth < warmUp ? 'warming up' : `round ${nth - warmUp + 1} of ${count}`
        progress(`${which}: ${ours.toFixed(0)} turns/s, by hand ${raw.toFixed(0)}`)
        played.push(perSecond)
      }
      await contest.close()
      await removeAll(places, where)
      return played
    }),
  )
  const rounds = all.slice(warmUp)
  const ratioOf = ({ ours, raw }: Pair<number>): number => ours / raw
  const ratios = rounds.map(ratioOf)
  return {
    bench: 'w4',
    ratio: median(ratios),
    limits: [{ what: 'turns per second over raw', value: median(ratios), least: store === 'sqlite' ? 2 : 0.5 }],
    figures: {
      store,
      conversations,
      turns,
      rounds: count,
      turnsPerSecond: { ours: median(rounds.map(({ ours }) => ours)), raw: median(rounds.map(({ raw }) => raw)) },
      ratioByRound: ratios,
      ratioCold: median(all.slice(0, 1).map(ratioOf)),
    },
  }
}
