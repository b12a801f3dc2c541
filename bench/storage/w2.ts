/**
 * W2: one process holds conversations for approval, and a new process resolves them: first one after the other, then as many
 * more with 20 in flight. A conversation is resolved when the verdict, the call's result and the model's last text are
 * durable. Also measures the size of a held conversation on disk and in the memory of the process that held it, and the
 * rate when a new process begins with 20 in flight.
 */
import { bytesOf, Contest, perSide, placesFor, ratiosOf, removeAll, type PerSide } from './contest.ts'
import { withPlaces, type Places } from './places.ts'
import { progress, type Figure, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, median, sum } from './statistics.ts'

const IN_FLIGHT = 20
/** Memory is measured when this many are held, and again when all are. */
const FEW = 100
const CHUNKS = 4
/** Held in another store before the measurement, so that compiled code does not count as growth. */
const WARM_UP = 2000
/** The runtime frees unused conversations within a second or two. Wait longer than that. */
const TIDY_MS = 2500
/** In bytes. A conversation that stays in memory takes some thousands. */
const MOST_GROWTH = 256

interface Round {
  readonly oneByOne: PerSide<number>
  readonly together: PerSide<number>
  /** The rate when these are the first requests of a process. */
  readonly fresh: PerSide<number>
  readonly bytes: PerSide<number>
  /** Bytes of memory for each conversation after the first hundred: of the heap, and of the process. */
  readonly growth: readonly [heap: number, process: number] | undefined
  readonly findMs: number
}

export async function w2(settings: Settings): Promise<Report> {
  const { store, conversations = 1000, rounds: count = 5 } = settings
  return withPlaces(store, async (places) => {
    const rounds: Round[] = []
    for (let nth = 1; nth <= count; nth++) {
      const round = await play(settings, places, conversations)
      for (const [what, { ours, rows, one }] of [
        ['one by one', round.oneByOne],
        [`${IN_FLIGHT} in flight`, round.together],
        ['that at first', round.fresh],
      ] as const)
        progress(
          `round ${nth} of ${count}, ${what}: ${ours.toFixed(0)}/s, by hand ${rows.toFixed(0)}/s and ${one.toFixed(0)}/s`,
        )
      rounds.push(round)
    }
    return report(settings, conversations, rounds)
  })
}

async function play(settings: Settings, places: Places, conversations: number): Promise<Round> {
  const where = await placesFor(places)
  const growth = await byHolders(settings, (holders) => holdMeasured(holders, places, where, 2 * conversations))
  const all = await bytesOf(places, where)
  const bytes = perSide((side) => all[side] / (2 * conversations))
  const { perSecond, findMs } = await resolve(settings, where, conversations, [1, IN_FLIGHT])
  await removeAll(places, where)
  const elsewhere = await placesFor(places)
  await byHolders(settings, (holders) => hold(holders, elsewhere, conversations))
  const { perSecond: fresh } = await resolve(settings, elsewhere, conversations, [IN_FLIGHT])
  await removeAll(places, elsewhere)
  return { oneByOne: perSecond[0]!, together: perSecond[1]!, fresh: fresh[0]!, bytes, growth, findMs }
}

const SHAPE = { calls: 1, approval: true }

function byHolders<T>(settings: Settings, work: (holders: Contest) => Promise<T>): Promise<T> {
  return Contest.run(playersOf(settings, SHAPE, { connections: IN_FLIGHT }), work)
}

/** Resolves `count` conversations in a new process, for each number in flight. */
async function resolve(
  settings: Settings,
  where: PerSide<string>,
  conversations: number,
  widths: readonly number[],
): Promise<{ readonly perSecond: readonly PerSide<number>[]; readonly findMs: number }> {
  const held = conversations * widths.length
  const players = playersOf(settings, SHAPE, { connections: Math.max(...widths), held })
  return Contest.run(players, async (resolvers) => {
    await resolvers.open(where)
    const found = await resolvers.all({ do: 'find' })
    if (found.ours[0] !== held) throw new Error(`${found.ours[0]} of ${held} conversations are held.`)
    const perSecond: PerSide<number>[] = []
    for (const inFlight of widths) {
      const took = perSide((): number[] => [])
      for (const count of chunks(conversations, Math.ceil(conversations / CHUNKS))) {
        const more = await resolvers.all({ do: 'resolve', count, inFlight })
        perSide((side) => took[side].push(...more[side]))
      }
      perSecond.push(perSide((side) => (conversations / sum(took[side])) * 1e6))
    }
    await resolvers.close()
    return { perSecond, findMs: (found.ours[1] ?? 0) / 1000 }
  })
}

async function hold(holders: Contest, where: PerSide<string>, count: number): Promise<void> {
  await holders.open(where)
  await holders.all({ do: 'hold', from: 0, count, inFlight: IN_FLIGHT })
  await holders.close()
}

/** Also measures the memory of each conversation after the first hundred. */
async function holdMeasured(
  holders: Contest,
  places: Places,
  where: PerSide<string>,
  conversations: number,
): Promise<Round['growth']> {
  const elsewhere = await placesFor(places)
  await hold(holders, elsewhere, Math.min(WARM_UP, conversations))
  await removeAll(places, elsewhere)
  const few = Math.min(FEW, conversations)
  await holders.open(where)
  await holders.all({ do: 'hold', from: 0, count: few, inFlight: IN_FLIGHT })
  const before = await memoryOf(holders)
  await holders.all({ do: 'hold', from: few, count: conversations - few, inFlight: IN_FLIGHT })
  const after = await memoryOf(holders)
  await holders.close()
  if (conversations === few) return undefined
  const per = (index: 0 | 1): number => (after[index] - before[index]) / (conversations - few)
  return [per(0), per(1)]
}

async function memoryOf({ ours }: Contest): Promise<readonly [heap: number, process: number]> {
  await new Promise((resolve) => setTimeout(resolve, TIDY_MS))
  const [heap = 0, rss = 0] = await ours.ask({ do: 'memory' })
  return [heap, rss]
}

function report({ store }: Settings, conversations: number, rounds: readonly Round[]): Report {
  type Rate = 'oneByOne' | 'together' | 'fresh'
  const byRound = (what: Rate): readonly number[] => rounds.map(({ [what]: { ours, rows } }) => ours / rows)
  const ratio = (what: Rate): Figure => ({
    ...ratiosOf(
      rounds.map((round) => round[what]),
      median,
    ),
  })
  const medians = (what: Rate | 'bytes'): PerSide<number> =>
    perSide((side) => median(rounds.map((round) => round[what][side])))
  const growths = rounds.flatMap(({ growth }) => (growth ? [growth] : []))
  return {
    bench: 'w2',
    ratio: ratiosOf(
      rounds.map(({ together }) => together),
      median,
    ),
    limits: [
      { what: `rate over raw, ${IN_FLIGHT} in flight`, value: median(byRound('together')), least: 0.8 },
      { what: 'bytes on disk per held conversation', value: medians('bytes').ours, most: 2048 },
      ...(growths.length > 0
        ? [
            {
              what: 'bytes of memory per held conversation, from 100 held on',
              value: median(growths.map(([heap]) => heap)),
              most: MOST_GROWTH,
            },
          ]
        : []),
    ],
    figures: {
      store,
      conversations,
      rounds: rounds.length,
      ratioFresh: ratio('fresh'),
      ratioOneByOne: ratio('oneByOne'),
      perSecondFresh: medians('fresh'),
      perSecondOneByOne: medians('oneByOne'),
      perSecondInFlight: medians('together'),
      bytesPerHeld: medians('bytes'),
      ratioByRound: byRound('together'),
      ratioFreshByRound: byRound('fresh'),
      memoryByRound: growths.map(([heap]) => heap),
      processByRound: growths.map(([, process]) => process),
      findMs: median(rounds.map(({ findMs }) => findMs)),
    },
  }
}
