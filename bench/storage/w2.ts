/**
 * W2: conversations held for approval by one process, and resolved by a fresh one that knows nothing of them: one after
 * the other, and 20 in flight. A conversation is resolved when the verdict, the call's result and the model's last words
 * are durable. What does a held conversation cost on disk, and in the memory of the process that held it?
 */
import { bytesOf, Contest, pairOf, placesFor, removeAll, type Pair } from './contest.ts'
import { withPlaces, type Places } from './places.ts'
import { progress, type Report } from './report.ts'
import { playersOf, type Settings } from './settings.ts'
import { chunks, median, sum } from './statistics.ts'

const IN_FLIGHT = 20
/** Memory is measured when so many are held, and again when all are. */
const FEW = 100
const CHUNKS = 4
/** Held elsewhere before, so that what a process learns once (compiled code above all) is not counted as growth. */
const WARM_UP = 2000
/** What the runtime keeps in memory for a while after use is let go of within a second or two. */
const TIDY_MS = 2500
/** In bytes. A conversation that stayed in memory would take some thousands. */
const MOST_GROWTH = 256

interface Round {
  readonly perSecond: Pair<number>
  readonly bytes: Pair<number>
  /** Bytes of memory for each conversation after the first hundred: of the heap, and of the process. */
  readonly growth: readonly [heap: number, process: number] | undefined
  readonly findMs: number
}

export async function w2(settings: Settings): Promise<Report> {
  const { store, conversations = 1000, rounds: count = 5 } = settings
  return withPlaces(store, async (places) => {
    const oneByOne: Round[] = []
    const together: Round[] = []
    for (let nth = 1; nth <= count; nth++) {
      for (const [width, rounds] of [
        [1, oneByOne],
        [IN_FLIGHT, together],
      ] as const) {
        const round = await play(settings, places, conversations, width)
        const { ours, raw } = round.perSecond
        progress(`round ${nth} of ${count}, ${width} in flight: ${ours.toFixed(0)}/s, by hand ${raw.toFixed(0)}/s`)
        rounds.push(round)
      }
    }
    return report(settings, conversations, oneByOne, together)
  })
}

async function play(settings: Settings, places: Places, conversations: number, width: number): Promise<Round> {
  const shape = { calls: 1, approval: true }
  const where = await placesFor(places)
  const growth = await Contest.run(playersOf(settings, shape, { connections: IN_FLIGHT }), (holders) =>
    hold(holders, places, where, conversations, width > 1),
  )
  const bytes = await bytesOf(places, where)
  const players = playersOf(settings, shape, { connections: width, held: conversations })
  const resolved = await Contest.run(players, async (resolvers) => {
    await resolvers.open(where)
    const found = await resolvers.both({ do: 'find' })
    if (found.ours[0] !== conversations) throw new Error(`${found.ours[0]} of ${conversations} conversations are held.`)
    const took: Pair<number[]> = { ours: [], raw: [] }
    for (const count of chunks(conversations, Math.ceil(conversations / CHUNKS))) {
      const { ours, raw } = await resolvers.both({ do: 'resolve', count, inFlight: width })
      took.ours.push(...ours)
      took.raw.push(...raw)
    }
    await resolvers.close()
    return { perSecond: pairOf(took, (each) => (conversations / sum(each)) * 1e6), findMs: (found.ours[1] ?? 0) / 1000 }
  })
  await removeAll(places, where)
  return { ...resolved, bytes, growth }
}

/** With what each conversation after the first hundred left in memory, if that is to be measured. */
async function hold(
  holders: Contest,
  places: Places,
  where: Pair<string>,
  conversations: number,
  measured: boolean,
): Promise<Round['growth']> {
  const few = Math.min(FEW, conversations)
  if (measured) {
    const elsewhere = await placesFor(places)
    await holders.open(elsewhere)
    await holders.both({ do: 'hold', from: 0, count: Math.min(WARM_UP, 2 * conversations), inFlight: IN_FLIGHT })
    await holders.close()
    await removeAll(places, elsewhere)
  }
  await holders.open(where)
  await holders.both({ do: 'hold', from: 0, count: few, inFlight: IN_FLIGHT })
  const before = measured ? await memoryOf(holders) : undefined
  await holders.both({ do: 'hold', from: few, count: conversations - few, inFlight: IN_FLIGHT })
  const after = measured ? await memoryOf(holders) : undefined
  await holders.close()
  if (!before || !after || conversations === few) return undefined
  const per = (index: 0 | 1): number => (after[index] - before[index]) / (conversations - few)
  return [per(0), per(1)]
}

async function memoryOf({ ours }: Contest): Promise<readonly [heap: number, process: number]> {
  await new Promise((resolve) => setTimeout(resolve, TIDY_MS))
  const [heap = 0, rss = 0] = await ours.ask({ do: 'memory' })
  return [heap, rss]
}

function report(
  { store }: Settings,
  conversations: number,
  oneByOne: readonly Round[],
  together: readonly Round[],
): Report {
  const ratioOf = (rounds: readonly Round[]): number =>
    median(rounds.map(({ perSecond }) => perSecond.ours / perSecond.raw))
  const all = [...oneByOne, ...together]
  const bytes = pairOf({ ours: 'ours', raw: 'raw' } as const, (side) =>
    median(all.map((each) => each.bytes[side] / conversations)),
  )
  const growths = all.flatMap(({ growth }) => (growth ? [growth] : []))
  const growth = median(growths.map(([heap]) => heap))
  const rates = (rounds: readonly Round[]): { ours: number; raw: number } => ({
    ours: median(rounds.map(({ perSecond }) => perSecond.ours)),
    raw: median(rounds.map(({ perSecond }) => perSecond.raw)),
  })
  return {
    bench: 'w2',
    ratio: ratioOf(together),
    limits: [
      { what: `rate over raw, ${IN_FLIGHT} in flight`, value: ratioOf(together), least: 0.8 },
      { what: 'bytes on disk per held conversation', value: bytes.ours, most: 2048 },
      ...(growths.length > 0
        ? [{ what: 'bytes of memory per held conversation, from 100 held on', value: growth, most: MOST_GROWTH }]
        : []),
    ],
    figures: {
      store,
      conversations,
      rounds: together.length,
      ratioOneByOne: ratioOf(oneByOne),
      perSecondOneByOne: rates(oneByOne),
      perSecondInFlight: rates(together),
      bytesPerHeld: { ...bytes },
      ratioByRound: together.map(({ perSecond }) => perSecond.ours / perSecond.raw),
      memoryByRound: growths.map(([heap]) => heap),
      processByRound: growths.map(([, process]) => process),
      findMs: median(all.map(({ findMs }) => findMs)),
    },
  }
}
