/** Ours and the baseline side by side: the same request to each, in turns, so that a busy minute hurts both alike. */
import { Contestant } from './contestants.ts'
import type { Places } from './places.ts'
import type { Player, Request } from './requests.ts'

export interface Pair<T> {
  readonly ours: T
  readonly raw: T
}

export class Contest {
  readonly ours: Contestant = new Contestant('ours')
  readonly raw: Contestant = new Contestant('raw')
  readonly #players: Pair<Player>
  #oursFirst = false

  private constructor(players: Pair<Player>) {
    this.#players = players
  }

  /** With two fresh processes, which end with the work. */
  static async run<T>(players: Pair<Player>, work: (contest: Contest) => Promise<T>): Promise<T> {
    const contest = new Contest(players)
    try {
      return await work(contest)
    } finally {
      await Promise.all([contest.ours.end(), contest.raw.end()])
    }
  }

  async open(where: Pair<string>): Promise<void> {
    for (const side of ['raw', 'ours'] as const)
      await this[side].ask({ do: 'open', place: where[side], player: this.#players[side] })
  }

  /** One after the other, and each is the first every other time. */
  async both(request: Request): Promise<Pair<readonly number[]>> {
    this.#oursFirst = !this.#oursFirst
    if (!this.#oursFirst) {
      const raw = await this.raw.ask(request)
      return { ours: await this.ours.ask(request), raw }
    }
    const ours = await this.ours.ask(request)
    return { ours, raw: await this.raw.ask(request) }
  }

  async close(): Promise<void> {
    await this.both({ do: 'close' })
  }
}

export async function placesFor(places: Places): Promise<Pair<string>> {
  return { ours: await places.make('ours'), raw: await places.make('raw') }
}

export async function bytesOf(places: Places, where: Pair<string>): Promise<Pair<number>> {
  return { ours: await places.bytes(where.ours), raw: await places.bytes(where.raw) }
}

export async function removeAll(places: Places, where: Pair<string>): Promise<void> {
  await places.remove(where.ours)
  await places.remove(where.raw)
}

export function pairOf<T, R>(pair: Pair<T>, make: (value: T) => R): Pair<R> {
  return { ours: make(pair.ours), raw: make(pair.raw) }
}
