/**
 * Runs ours and the two baselines side by side. Each gets the same request in turn, so that a busy minute of the machine slows
 * all of them, and each is first equally often.
 */
import { Contestant } from './contestants.ts'
import type { Places } from './places.ts'
import type { Player, Request } from './requests.ts'

/** `rows`: handwritten SQL with an insert for each row. `one`: handwritten SQL with one insert for each transaction. */
export const SIDES = ['rows', 'one', 'ours'] as const
export type SideName = (typeof SIDES)[number]
export type PerSide<T> = Readonly<Record<SideName, T>>

export class Contest {
  readonly #contestants: PerSide<Contestant> = perSide((side) => new Contestant(side))
  readonly #players: PerSide<Player>
  #first = 0

  private constructor(players: PerSide<Player>) {
    this.#players = players
  }

  /** Starts new processes, and ends them after the work. */
  static async run<T>(players: PerSide<Player>, work: (contest: Contest) => Promise<T>): Promise<T> {
    const contest = new Contest(players)
    try {
      return await work(contest)
    } finally {
      await Promise.all(SIDES.map((side) => contest.#contestants[side].end()))
    }
  }

  get ours(): Contestant {
    return this.#contestants.ours
  }

  async open(where: PerSide<string>): Promise<void> {
    for (const side of SIDES)
      await this.#contestants[side].ask({ do: 'open', place: where[side], player: this.#players[side] })
  }

  /** Sends the request to one side after the other. */
  async all(request: Request): Promise<PerSide<readonly number[]>> {
    const answers: Partial<Record<SideName, readonly number[]>> = {}
    const first = this.#first++
    for (const nth of SIDES.keys()) {
      const side = SIDES[(first + nth) % SIDES.length]!
      answers[side] = await this.#contestants[side].ask(request)
    }
    return answers as PerSide<readonly number[]>
  }

  async close(): Promise<void> {
    await this.all({ do: 'close' })
  }
}

export async function placesFor(places: Places): Promise<PerSide<string>> {
  return { rows: await places.make('rows'), one: await places.make('one'), ours: await places.make('ours') }
}

export async function bytesOf(places: Places, where: PerSide<string>): Promise<PerSide<number>> {
  return {
    rows: await places.bytes(where.rows),
    one: await places.bytes(where.one),
    ours: await places.bytes(where.ours),
  }
}

export async function removeAll(places: Places, where: PerSide<string>): Promise<void> {
  for (const side of SIDES) await places.remove(where[side])
}

export function perSide<T>(make: (side: SideName) => T): PerSide<T> {
  return { rows: make('rows'), one: make('one'), ours: make('ours') }
}

/** Ours over each baseline. */
export interface Ratios {
  readonly rows: number
  readonly one: number
}

export function ratiosOf(all: readonly PerSide<number>[], middle: (values: readonly number[]) => number): Ratios {
  return {
    rows: middle(all.map(({ ours, rows }) => ours / rows)),
    one: middle(all.map(({ ours, one }) => ours / one)),
  }
}
