/**
 * W2: conversations held for approval by one process, and resolved by a fresh one that knows nothing of them: first one
 * after the other, then as many more with 20 in flight. A conversation is resolved when the verdict, the call's result and
 * the model's last words are durable. What does a held conversation cost on disk, and in the memory of the process that
 * held it? And what is it like where 20 in flight are the first thing a process does?
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
  readonly oneByOne: Pair<number>
  readonly together: Pair<number>
  /** The same with nothing before it. */
  readonly cold: Pair<number>
  readonly bytes: Pair<number>
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
      for (const [what, { ours, raw }] of [
        ['one by one', round.oneByOne],
        [`${IN_FLIGHT} in flight`, round.together],
        ['that at first', round.cold],
      ] as const)
        progress(`round ${nth} of ${count}, ${what}: ${ours.toFixed(0)}/s, by hand ${raw.toFixed(0)}/s`)
      rounds.push(round)
    }
    return report(settings, conversations, rounds)
  })
}

async function play(settings: Settings, places: Places, conversations: number): Promise<Round> {
  const where = await placesFor(places)
  const growth = await byHolders(settings, (holders) => holdMeasured(holders, places, where, 2 * conversations))
  const bytes = pairOf(await bytesOf(places, where), (all) => all / (2 * conversations))
  const { perSecond, findMs } = await resolve(settings, where, conversations, [1, IN_FLIGHT])
  await removeAll(places, where)
  const elsewhere = await placesFor(places)
  await byHolders(settings, (holders) => hold(holders, elsewhere, conversations))
  const { perSecond: cold } = await resolve(settings, elsewhere, conversations, [IN_FLIGHT])
  await removeAll(places, elsewhere)
  return { oneByOne: perSecond[0]!, together: perSecond[1]!, cold: cold[0]!, bytes, growth, findMs }
}

const SHAPE = { calls: 1, approval: true }

function byHolders<T>(settings: Settings, work: (holders: Contest) => Promise<T>): Promise<T> {
  return Contest.run(playersOf(settings, SHAPE, { connections: IN_FLIGHT }), work)
}

/** By a fresh process: so many with each number in flight. */
async function resolve(
  settings: Settings,
  where: Pair<string>,
  conversations: number,
  widths: readonly number[],
): Promise<{ readonly perSecond: readonly Pair<number>[]; readonly findMs: number }> {
  const held = conversations * widths.length
  const players = playersOf(settings, SHAPE, { connections: Math.max(...widths), held })
  return Contest.run(players, async (resolvers) => {
    await resolvers.open(where)
    const found = await resolvers.both({ do: 'find' })
    if (found.ours[0] !== held) throw new Error(`${found.ours[0]} of ${held} conversations are held.`)
    const perSecond: Pair<number>[] = []
    for (const inFlight of widths) {
      const took: Pair<number[]> = { ours: [], raw: [] }
      for (const count of chunks(conversations, Math.ceil(conversations / CHUNKS))) {
        const { ours, raw } = await resolvers.both({ do: 'resolve', count, inFlight })
        took.ours.push(...ours)
        took.raw.push(...raw)
      }
      perSecond.push(pairOf(took, (each) => (conversations / sum(each)) * 1e6))
    }
    await resolvers.close()
    return { perSecond, findMs: (found.ours[1] ?? 0) / 1000 }
  })
}

async function hold(holders: Contest, where: Pair<string>, count: number): Promise<void> {
  await holders.open(where)
  await holders.both({ do: 'hold', from: 0, count, inFlight: IN_FLIGHT })
  await holders.close()
}

/** With what each conversation after the first hundred left in memory. */
async function holdMeasured(
  holders: Contest,
  places: Places,
  where: Pair<string>,
  conversations: number,
): Promise<Round['growth']> {
  const elsewhere = await placesFor(places)
  await hold(holders, elsewhere, Math.min(WARM_UP, conversations))
  await removeAll(places, elsewhere)
  const few = Math.min(FEW, conversations)
  await holders.open(where)
  await holders.both({ do: 'hold', from: 0, count: few, inFlight: IN_FLIGHT })
  const before = await memoryOf(holders)
  await holders.both({ do: 'hold', from: few, count: conversations - few, inFlight: IN_FLIGHT })
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
  const ratiosOf = (what: 'oneByOne' | 'together' | 'cold'): readonly number[] =>
    rounds.map(({ [what]: { ours, raw } }) => ours / raw)
  const bothOf = (what: 'oneByOne' | 'together' | 'bytes'): { readonly ours: number; readonly raw: number } => ({
    ours: median(rounds.map((round) => round[what].ours)),
    raw: median(rounds.map((round) => round[what].raw)),
  })
  const growths = rounds.flatMap(({ growth }) => (growth ? [growth] : []))
  const ratio = median(ratiosOf('together'))
  return {
    bench: 'w2',
    ratio,
    limits: [
      { what: `rate over raw, ${IN_FLIGHT} in flight`, value: ratio, least: 0.8 },
      { what: 'bytes on disk per held conversation', value: bothOf('bytes').ours, most: 2048 },
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
      ratioCold: median(ratiosOf('cold')),
      ratioOneByOne: median(ratiosOf('oneByOne')),
      perSecondOneByOne: bothOf('oneByOne'),
      perSecondInFlight: bothOf('together'),
      bytesPerHeld: bothOf('bytes'),
      ratioByRound: ratiosOf('together'),
      ratioColdByRound: ratiosOf('cold'),
      memoryByRound: growths.map(([heap]) => heap),
      processByRound: growths.map(([, process]) => process),
      findMs: median(rounds.map(({ findMs }) => findMs)),
    },
  }
}
