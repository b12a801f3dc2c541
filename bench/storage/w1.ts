/**
 * W1: one conversation, turn after turn: the user, a call of the tool, its result, the model's text. The model is shown
 * the last 40 messages. Does a turn cost the same however long the conversation is, and how much more than by hand?
 *
 * - The sides take turns after every few of theirs, and adjacent runs are compared; then the median
 *   of all such ratios is taken. The speed of a disk swings too much to compare two minutes.
 * - For the same reason, whether it is flat is asked of two conversations at the same time: an old one in its last turns
 *   and a young one in its turns 51 to 100, each in a file of its own.
 */
import { Contestant } from './contestants.ts'
import { bytesOf, Contest, perSide, placesFor, ratiosOf, removeAll, type PerSide, type SideName } from './contest.ts'
import { conversationId } from './facts.ts'
import { withPlaces, type Places } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, mean, median } from './statistics.ts'

/** So many turns of one side, then so many of the other. */
const CHUNK = 5
/** Turns are told in blocks of so many. */
const BLOCK = 50
/** So many turns are not counted as warm: they show what a process is like that has just been started. */
const FRESH = 200

interface Round {
  /** What a turn took, in each chunk. */
  readonly chunks: readonly PerSide<number>[]
  /** Of the last chunks: the old conversation over the young one. None when the run is too short to tell. */
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

/** A conversation to compare an old one with, in a process of its own. */
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

  /** What a turn took. */
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
