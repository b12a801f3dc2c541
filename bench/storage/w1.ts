/**
 * W1: one conversation, turn after turn: a message, a call, its result, the model's text. The prompt has the last 40 messages.
 * Measures whether the time of a turn grows with the length of the conversation, and its ratio to handwritten SQL.
 *
 * - The sides alternate after every few turns, adjacent runs are compared, and the median of these ratios counts. The speed
 *   of a disk varies too much to compare two different minutes.
 * - For the same reason, growth is measured on two conversations at the same time: an old one in its last turns and a young
 *   one in its turns 51 to 100, each in its own file.
 */
import { Contestant } from './contestants.ts'
import { bytesOf, Contest, perSide, placesFor, ratiosOf, removeAll, type PerSide, type SideName } from './contest.ts'
import { conversationId } from './facts.ts'
import { withPlaces, type Places } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, mean, median } from './statistics.ts'

/** Turns of one side before the next side continues. */
const CHUNK = 5
/** Turns per block of the report. */
const BLOCK = 50
/** The first turns of a process. They are reported separately from the warm ones. */
const FRESH = 200

interface Round {
  /** The time of a turn, in each chunk. */
  readonly chunks: readonly PerSide<number>[]
  /** Of the last chunks: the old conversation over the young one. Empty when the run is too short. */
  readonly flat: readonly number[]
  readonly bytes: PerSide<number>
}

export async function w1(settings: Settings): Promise<Report> {
  const { store, turns = 1000, rounds: count = 3 } = settings
  const players = playersOf(settings, { calls: 1, approval: false })
  const { fresh, rounds } = await withPlaces(store, (places) =>
    Contest.run(players, async (contest) => {
      const young = new Young(places, (place) => ({ do: 'open', place, player: players.ours }))
      try {
        const first = await play(contest, young, places, Math.min(turns, FRESH))
        const played: Round[] = []
        for (let nth = 1; nth <= count; nth++) {
          const round = await play(contest, young, places, turns)
          const perTurn = (side: SideName): string =>
            `${(mean(round.chunks.map((each) => each[side])) / 1000).toFixed(2)} ms`
          const [ours, rows, one] = [perTurn('ours'), perTurn('rows'), perTurn('one')]
          progress(
            `round ${nth} of ${count}: ${ours} a turn, by hand ${rows} (an insert for each row), ${one} (one insert)`,
          )
          played.push(round)
        }
        return { fresh: first.chunks, rounds: played }
      } finally {
        await young.end()
      }
    }),
  )
  return report(store, turns, fresh, rounds)
}

/** A short conversation to compare the long one with, in its own process. */
class Young {
  readonly #process = new Contestant('young')
  readonly #places: Places
  readonly #open: (place: string) => Parameters<Contestant['ask']>[0]
  #place = ''

  constructor(places: Places, open: (place: string) => Parameters<Contestant['ask']>[0]) {
    this.#places = places
    this.#open = open
  }

  async begin(turns: number): Promise<void> {
    this.#place = await this.#places.make('young')
    await this.#process.ask(this.#open(this.#place))
    await this.turns(turns)
  }

  /** Returns the time of a turn. */
  async turns(count: number): Promise<number> {
    return mean(await this.#process.ask({ do: 'turns', conversation: conversationId(1), count }))
  }

  async over(): Promise<void> {
    await this.#process.ask({ do: 'close' })
    await this.#places.remove(this.#place)
  }

  end(): Promise<void> {
    return this.#process.end()
  }
}

async function play(contest: Contest, young: Young, places: Places, turns: number): Promise<Round> {
  const where = await placesFor(places)
  await contest.open(where)
  const played: PerSide<number>[] = []
  const flat: number[] = []
  const sizes = chunks(turns, CHUNK)
  const comparable = turns >= 4 * BLOCK
  const last = sizes.length - BLOCK / CHUNK
  for (const [nth, count] of sizes.entries()) {
    if (comparable && nth === last) await young.begin(BLOCK)
    const took = await contest.all({ do: 'turns', conversation: conversationId(1), count })
    const perTurn = perSide((side) => mean(took[side]))
    played.push(perTurn)
    if (comparable && nth >= last) flat.push(perTurn.ours / (await young.turns(count)))
  }
  if (comparable) await young.over()
  await contest.close()
  const bytes = await bytesOf(places, where)
  await removeAll(places, where)
  return { chunks: played, flat, bytes }
}

function report(store: Settings['store'], turns: number, fresh: Round['chunks'], rounds: readonly Round[]): Report {
  const inBlock = (nth: number): Round['chunks'] =>
    rounds.flatMap((round) => round.chunks.slice((nth * BLOCK) / CHUNK, ((nth + 1) * BLOCK) / CHUNK))
  const all = rounds.flatMap((round) => round.chunks)
  const byBlock = chunks(turns, BLOCK).map((_, nth) => ratiosOf(inBlock(nth), median).rows)
  const flat = rounds.flatMap((round) => round.flat)
  const bytes = perSide((side) => median(rounds.map((round) => round.bytes[side])) / turns)
  return {
    bench: 'w1',
    ratio: ratiosOf(all, median),
    limits: [
      ...(flat.length > 0 ? [{ what: 'last 50 turns over turns 51-100', value: median(flat), most: 1.15 }] : []),
      ...(store === 'sqlite'
        ? [{ what: 'ratio in the worst block of 50 turns', value: Math.max(...byBlock), most: 4 }]
        : []),
      { what: 'bytes over raw', value: bytes.ours / bytes.rows, most: 2 },
    ],
    figures: {
      store,
      turns,
      rounds: rounds.length,
      ratioFresh: { ...ratiosOf(fresh, median) },
      microsPerTurn: perSide((side) => median(all.map((each) => each[side]))),
      microsPerTurnFresh: perSide((side) => median(fresh.map((each) => each[side]))),
      bytesPerTurn: bytes,
      ratioByBlock: byBlock,
      flatByRound: rounds.filter((round) => round.flat.length > 0).map((round) => median(round.flat)),
    },
  }
}
