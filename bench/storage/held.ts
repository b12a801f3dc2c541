/**
 * Held: compares many held conversations in one SQLite file with a thousand in another, in one run. Measures the time of the
 * first page of open holds, and of a restart: a new process opens the file and finishes a first turn.
 */
import { Contestant } from './contestants.ts'
import { withPlaces, type Places } from './places.ts'
import { progress, type Report } from './report.ts'
import type { Player } from './requests.ts'
import { median } from './statistics.ts'

const FEW = 1000
const IN_FLIGHT = 500
const PAGES = 30

interface Start {
  readonly openMs: number
  /** The opening, and the first message held. */
  readonly readyMs: number
  /** The first page: requested at once after the start, and after many requests. */
  readonly firstPageMs: number
  readonly pageMs: number
}

export async function held({
  conversations: many = 100_000,
  rounds = 9,
}: {
  readonly conversations?: number
  readonly rounds?: number
}): Promise<Report> {
  const player: Player = { side: 'ours', agent: { calls: 1, approval: true } }
  return withPlaces('sqlite', async (places) => {
    const few = await fill(places, player, FEW)
    const full = await fill(places, player, many)
    const starts = { few: [] as Start[], many: [] as Start[] }
    for (let nth = 1; nth <= rounds; nth++) {
      starts.few.push(await start(few, player, many + nth))
      starts.many.push(await start(full, player, many + nth))
      progress(`round ${nth} of ${rounds}`)
    }
    const of = (which: 'few' | 'many', what: keyof Start): number => median(starts[which].map((each) => each[what]))
    const over = (what: keyof Start): number => of('many', what) / of('few', what)
    const figures = (which: 'few' | 'many'): Readonly<Record<keyof Start, number>> => ({
      openMs: of(which, 'openMs'),
      readyMs: of(which, 'readyMs'),
      firstPageMs: of(which, 'firstPageMs'),
      pageMs: of(which, 'pageMs'),
    })
    return {
      bench: 'held',
      limits: [
        { what: `first page of pending, ${many} held over ${FEW}`, value: over('pageMs'), most: 2 },
        { what: `restart until ready, ${many} held over ${FEW}`, value: over('readyMs'), most: 2 },
      ],
      figures: {
        rounds,
        few: { conversations: FEW, ...figures('few') },
        many: { conversations: many, ...figures('many') },
        bytesPerHeld: { few: (await places.bytes(few)) / FEW, many: (await places.bytes(full)) / many },
      },
    }
  })
}

async function fill(places: Places, player: Player, count: number): Promise<string> {
  const place = await places.make(`held-${count}`)
  await inProcess('fill', async (process) => {
    await process.ask({ do: 'open', place, player })
    for (let from = 0; from < count; from += 10_000) {
      await process.ask({ do: 'hold', from, count: Math.min(10_000, count - from), inFlight: IN_FLIGHT })
      progress(`${Math.min(from + 10_000, count)} of ${count} held`)
    }
    await process.ask({ do: 'close' })
  })
  return place
}

async function start(place: string, player: Player, newcomer: number): Promise<Start> {
  return inProcess('start', async (process) => {
    const open = await process.askOne({ do: 'open', place, player })
    const first = await process.askOne({ do: 'hold', from: newcomer, count: 1, inFlight: 1 })
    const firstPage = await process.askOne({ do: 'pending', times: 1 })
    await process.ask({ do: 'pending', times: PAGES })
    const pages = await process.ask({ do: 'pending', times: PAGES })
    await process.ask({ do: 'close' })
    return {
      openMs: open / 1000,
      readyMs: (open + first) / 1000,
      firstPageMs: firstPage / 1000,
      pageMs: median(pages) / 1000,
    }
  })
}

async function inProcess<T>(name: string, work: (process: Contestant) => Promise<T>): Promise<T> {
  const process = new Contestant(name)
  try {
    return await work(process)
  } finally {
    await process.end()
  }
}
